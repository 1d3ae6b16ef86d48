import { Module } from '@nestjs/common';
import { BrandsController } from '../brands/brands.controller.js';
import { CategoriesController } from '../categories/categories.controller.js';
import { ProductsController } from '../products/products.controller.js';
import { SkusController } from '../skus/skus.controller.js';

@Module({ controllers: [ProductsController, SkusController, CategoriesController, BrandsController] })
export class CatalogModule {}
