import { CustomerRepository, PersonalData, StoreSearch } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresCustomerRepository } from './postgres-customer.repository.js';
import { PostgresPersonalData } from './postgres-personal-data.js';
import { PostgresStoreSearch } from './postgres-store-search.js';

@Module({
  providers: [
    { provide: CustomerRepository, useClass: PostgresCustomerRepository },
    { provide: PersonalData, useClass: PostgresPersonalData },
    { provide: StoreSearch, useClass: PostgresStoreSearch },
  ],
  exports: [CustomerRepository, PersonalData, StoreSearch],
})
export class CustomersModule {}
