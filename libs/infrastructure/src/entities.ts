import { BrandEntity } from './catalog/brand.entity.js';
import { CategoryEntity } from './catalog/category.entity.js';

export const ENTITIES = [BrandEntity, CategoryEntity];
