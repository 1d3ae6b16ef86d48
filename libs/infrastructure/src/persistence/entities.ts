import { BrandEntity } from './brands/brand.entity.js';
import { CategoryEntity } from './categories/category.entity.js';
import { StoreEntity } from './stores/store.entity.js';

/** Every TypeORM table mapping. */
export const ENTITIES = [BrandEntity, CategoryEntity, StoreEntity];
