import { BrandEntity } from './catalog/brand.entity.js';
import { CategoryEntity } from './catalog/category.entity.js';

/** Every TypeORM table mapping. */
export const ENTITIES = [BrandEntity, CategoryEntity];
