import { CustomerRepository, PersonalData } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresCustomerRepository } from './postgres-customer.repository.js';
import { PostgresPersonalData } from './postgres-personal-data.js';

@Module({
  providers: [
    { provide: CustomerRepository, useClass: PostgresCustomerRepository },
    { provide: PersonalData, useClass: PostgresPersonalData },
  ],
  exports: [CustomerRepository, PersonalData],
})
export class CustomersModule {}
