import { CustomersService } from '@app/application';
import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { toCustomerResponse, type CustomerResponse } from './customer.response.js';
import { CUSTOMER_FILTERS, readCustomersQuery, type CustomersQuery } from './customers.query.js';

@Controller('v1/customers')
@ApiTags('Customers')
@UseGuards(ApiKeyGuard)
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Get()
  @ApiList({
    operationId: 'listCustomers',
    summary: 'Customers, newest first',
    of: 'Customer',
    filters: CUSTOMER_FILTERS,
  })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readCustomersQuery) { filter, page }: CustomersQuery,
  ): Promise<ListEnvelope<CustomerResponse>> {
    const { rows, total } = await this.customers.list(store.id, filter, page);
    return list(rows.map(toCustomerResponse), total, page);
  }

  @Get(':id')
  @ApiSingle({
    operationId: 'getCustomer',
    summary: 'One customer',
    of: 'Customer',
    by: { name: 'id', description: 'UUID.', example: '0198e7d4-5c21-7a10-8f3b-6d9e2c4b7a15' },
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<CustomerResponse>> {
    return single(toCustomerResponse(await this.customers.retrieve(store.id, id)));
  }
}
