import { CustomersService } from '@app/application';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { Customer, toCustomerResponse, type CustomerResponse } from './customer.response.js';
import { CUSTOMERS_QUERY, type CustomersQuery } from './customers.query.js';

@Controller('v1/customers')
@Documented({
  tag: 'Customers',
  description: "The store's customers: operational fields only.",
  schemas: [Customer],
})
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Get()
  @ApiList({
    operationId: 'listCustomers',
    summary: 'Customers, newest first',
    of: Customer,
  })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(CUSTOMERS_QUERY) { filter, page }: CustomersQuery,
  ): Promise<ListEnvelope<CustomerResponse>> {
    const { rows, total } = await this.customers.list(store.id, filter, page);
    return list(rows.map(toCustomerResponse), total, page);
  }

  @Get(':id')
  @ApiSingle({
    operationId: 'getCustomer',
    summary: 'One customer',
    of: Customer,
    by: { name: 'id', description: 'UUID.', example: 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7' },
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
  ): Promise<SingleEnvelope<CustomerResponse>> {
    return single(toCustomerResponse(await this.customers.retrieve(store.id, id)));
  }
}
