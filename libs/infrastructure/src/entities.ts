import { BrandEntity } from './catalog/brand.entity.js';
import { CategoryEntity } from './catalog/category.entity.js';
import { StoreEntity } from './stores/store.entity.js';

/** Every TypeORM table mapping. */
export const ENTITIES = [BrandEntity, CategoryEntity, StoreEntity];
