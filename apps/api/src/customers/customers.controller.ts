import { CUSTOMER_INCLUDES, CustomersService, type CustomerFilter } from '@app/application';
import { Customer, CustomerListItem, toCustomerResponse, toCustomerListItem } from '@app/representations';
import { Controller, Get, Param } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import {
  createdFilter,
  exactFilter,
  includeOf,
  searchFilter,
  SORT,
  updatedFilter,
  wordFilter,
  wordsFilter,
} from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';

const CUSTOMER_ID = 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7';

const QUERY = listQuery<CustomerFilter>(
  {
    status: wordFilter('status', 'account status, for example `Active`', null, 'Active'),
    search: searchFilter('the name or the e-mail address', 'lovelace'),
    ids: wordsFilter('ids', 'one of these ids', CUSTOMER_ID),
    email: exactFilter('email', 'the whole e-mail, in any letter case', 'ada@example.com'),
    ...createdFilter('customers whose account was created'),
    ...updatedFilter('customers that changed'),
    include: includeOf(CUSTOMER_INCLUDES, 'updated_at'),
  },
  { sort: SORT },
);

@Controller('v1/customers')
@Documented({
  tag: 'Customers',
  description: "The store's customers: operational fields only.",
  schemas: [Customer, CustomerListItem],
})
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Get()
  @ApiList({ operationId: 'listCustomers', summary: 'Customers, newest first', of: CustomerListItem })
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.customers.list(store.id, filter, page);
    return list(
      rows.map((row) => toCustomerListItem(row, filter.include)),
      total,
      page,
    );
  }

  @Get(':id')
  @ApiSingle({
    operationId: 'getCustomer',
    summary: 'One customer',
    of: Customer,
    by: { name: 'id', description: 'UUID.', example: CUSTOMER_ID },
  })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @Param('id') id: string) {
    return single(toCustomerResponse(await this.customers.retrieve(store.id, id)));
  }
}
