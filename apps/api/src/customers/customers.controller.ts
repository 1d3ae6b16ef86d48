import { CustomersService } from '@app/application';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { toCustomerResponse, type CustomerResponse } from './customer.response.js';
import { ApiGetCustomer, ApiListCustomers, CUSTOMERS_DOCUMENTATION } from './customers.openapi.js';
import { CUSTOMERS_QUERY, type CustomersQuery } from './customers.query.js';

@Controller('v1/customers')
@Documented(CUSTOMERS_DOCUMENTATION)
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Get()
  @ApiListCustomers()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(CUSTOMERS_QUERY) { filter, page }: CustomersQuery,
  ): Promise<ListEnvelope<CustomerResponse>> {
    const { rows, total } = await this.customers.list(store.id, filter, page);
    return list(rows.map(toCustomerResponse), total, page);
  }

  @Get(':id')
  @ApiGetCustomer()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
  ): Promise<SingleEnvelope<CustomerResponse>> {
    return single(toCustomerResponse(await this.customers.retrieve(store.id, id)));
  }
}
