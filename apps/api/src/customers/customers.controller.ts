import { CustomersService, type CustomerFilter } from '@app/application';
import { Customer, type CustomerResponse, toCustomerResponse } from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import { searchFilter, wordFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';
import { ReadQuery } from '../query/read-query.decorator.js';

const QUERY = listQuery<CustomerFilter>({
  status: wordFilter('status', 'account status, for example `Active`', null, 'Active'),
  search: searchFilter('the name or the e-mail address', 'lovelace'),
});

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
    @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>,
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
