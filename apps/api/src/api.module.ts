import { ApplicationModule } from '@app/application';
import { InfrastructureModule, type Config } from '@app/infrastructure';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { BrandsController } from './brands/brands.controller.js';
import { CategoriesController } from './categories/categories.controller.js';
import { CustomersController } from './customers/customers.controller.js';
import { ApiExceptionFilter } from './errors/api-exception.filter.js';
import { OrdersController } from './orders/orders.controller.js';
import { ProductsController } from './products/products.controller.js';
import { StoreController } from './store/store.controller.js';

@Module({})
export class ApiModule {
  static on(config: Config, databaseUrl: string): DynamicModule {
    return {
      module: ApiModule,
      imports: [ApplicationModule.on([InfrastructureModule.on(config, databaseUrl)])],
      controllers: [
        OrdersController,
        ProductsController,
        CustomersController,
        CategoriesController,
        BrandsController,
        StoreController,
      ],
      providers: [{ provide: APP_FILTER, useClass: ApiExceptionFilter }],
    };
  }
}
