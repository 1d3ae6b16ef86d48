import { CustomersService } from '@app/application';
import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequiresKeyGuard } from '../auth/requires-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { toCustomerResponse, type CustomerResponse } from './customer.response.js';
import { ApiGetCustomer, ApiListCustomers, CUSTOMERS_DOCUMENTATION } from './customers.openapi.js';
import { readCustomersQuery, type CustomersQuery } from './customers.query.js';

@Controller('v1/customers')
@ApiTags(CUSTOMERS_DOCUMENTATION.tag)
@UseGuards(RequiresKeyGuard)
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Get()
  @ApiListCustomers()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readCustomersQuery) { filter, page }: CustomersQuery,
  ): Promise<ListEnvelope<CustomerResponse>> {
    const { rows, total } = await this.customers.list(store.id, filter, page);
    return list(rows.map(toCustomerResponse), total, page);
  }

  @Get(':id')
  @ApiGetCustomer()
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<CustomerResponse>> {
    return single(toCustomerResponse(await this.customers.retrieve(store.id, id)));
  }
}
