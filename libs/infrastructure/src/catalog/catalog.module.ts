import {
  BrandRepository,
  CatalogPricing,
  CategoryRepository,
  OrderCharges,
  PriceBreaks,
  PriceChanges,
  PriceListRepository,
  ProductRepository,
  SkuRepository,
} from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Provided } from '../platform/provided.js';
import { BrandEntity } from './brand.entity.js';
import { CategoryEntity } from './category.entity.js';
import { LiveCatalogPricing } from './live-catalog-pricing.js';
import { PostgresPriceBreaks } from './postgres-price-breaks.js';
import { PostgresPriceChanges } from './postgres-price-changes.js';
import { PostgresPriceListRepository } from './postgres-price-list.repository.js';
import { PostgresProductRepository } from './postgres-product.repository.js';
import { PostgresSkuRepository } from './postgres-sku.repository.js';
import { StoreCharges } from './store-charges.js';
import { TypeOrmBrandRepository } from './typeorm-brand.repository.js';
import { TypeOrmCategoryRepository } from './typeorm-category.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([BrandEntity, CategoryEntity])],
  providers: [
    LiveCatalogPricing,
    { provide: BrandRepository, useClass: TypeOrmBrandRepository },
    { provide: CategoryRepository, useClass: TypeOrmCategoryRepository },
    { provide: PriceBreaks, useClass: PostgresPriceBreaks },
    { provide: PriceChanges, useClass: PostgresPriceChanges },
    { provide: PriceListRepository, useClass: PostgresPriceListRepository },
    { provide: ProductRepository, useClass: PostgresProductRepository },
    { provide: SkuRepository, useClass: PostgresSkuRepository },
  ],
  exports: [
    BrandRepository,
    CatalogPricing,
    CategoryRepository,
    OrderCharges,
    PriceBreaks,
    PriceChanges,
    PriceListRepository,
    ProductRepository,
    SkuRepository,
  ],
})
export class CatalogModule {
  static on(pricing?: Provided<CatalogPricing>, charges?: Provided<OrderCharges>): DynamicModule {
    return {
      module: CatalogModule,
      providers: [
        { provide: CatalogPricing, ...(pricing ?? { useExisting: LiveCatalogPricing }) },
        { provide: OrderCharges, ...(charges ?? { useClass: StoreCharges }) },
      ],
    };
  }
}
