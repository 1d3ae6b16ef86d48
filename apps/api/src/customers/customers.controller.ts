import {
  CommitOutcomeUnknown,
  CUSTOMER_INCLUDES,
  CustomersService,
  originOf,
  type ApiKeyLookup,
  type CustomerFilter,
} from '@app/application';
import {
  CustomerTooLarge,
  CustomerWithoutEmail,
  MetadataTooLarge,
  NotFound,
  OrdersOpen,
  TooManyRows,
  UnknownPriceListOfCustomer,
} from '@app/domain';
import {
  Customer,
  CustomerListItem,
  Erasure,
  PersonalData,
  toCustomerListItem,
  toCustomerResponse,
  toErasure,
  toPersonalData,
} from '@app/representations';
import { Body, Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiPath, ApiSingle, ApiWrite } from '../openapi/endpoints.js';
import { NeedsRecentSignIn, NeedsScope } from '../openapi/needs-scope.js';
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
import { ChangeCustomerRequest, EraseCustomerRequest, toCustomerPatch } from './customers.request.js';

const CUSTOMER_ID = 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7';

const QUERY = listQuery<CustomerFilter>(
  {
    status: wordFilter('status', 'account status, for example `Active`', null, 'Active'),
    search: searchFilter(
      'the name, the e-mail, the company, the VAT id, a street, the digits of a phone or the e-mail of a contact',
      'lovelace',
    ),
    ids: wordsFilter('ids', 'one of these ids', CUSTOMER_ID),
    email: exactFilter('email', 'the whole e-mail, in any letter case', 'ada@example.com'),
    group: exactFilter('group', 'one of its groups', 'wholesale'),
    priceList: exactFilter('price_list', 'its own price list', 'WHOLESALE'),
    vatId: exactFilter('vat_id', 'the whole VAT id, in any letter case', 'GB123456789'),
    ...createdFilter('customers whose account was created'),
    ...updatedFilter('customers that changed'),
    include: includeOf(CUSTOMER_INCLUDES, 'updated_at'),
  },
  { sort: SORT },
);

const CUSTOMER = { name: 'id', description: 'UUID.', example: CUSTOMER_ID };

@Controller('v1/customers')
@Documented({
  tag: 'Customers',
  description: "The store's customers, without their secrets.",
  schemas: [Customer, CustomerListItem, PersonalData, Erasure],
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
    by: CUSTOMER,
  })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @Param('id') id: string) {
    return single(toCustomerResponse(await this.customers.retrieve(store.id, id)));
  }

  @Patch(':id')
  @NeedsScope('customers')
  @ApiPath(CUSTOMER)
  @ApiWrite({
    operationId: 'changeCustomer',
    summary: 'Change the account of a customer',
    description: 'Only the fields of the request change. A repetition changes nothing.',
    of: Customer,
    body: {
      type: ChangeCustomerRequest,
      example: { company: 'Lovelace Engines Ltd', vat_id: 'GB123456789', groups: ['wholesale'] },
    },
    answer: { status: 200, description: 'The customer.' },
    failures: [
      new NotFound('Customer'),
      new UnknownPriceListOfCustomer('WHOLESALE'),
      new CustomerTooLarge(),
      new MetadataTooLarge(),
      new CommitOutcomeUnknown(null),
    ],
  })
  async change(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @Body(StrictBodyPipe) body: ChangeCustomerRequest,
  ) {
    return single(toCustomerResponse(await this.customers.change(store.id, id, toCustomerPatch(body))));
  }

  @Get(':id/personal-data')
  @NeedsRecentSignIn('customers')
  @ApiSingle({
    operationId: 'getPersonalData',
    summary: 'Export the personal data of a customer',
    description: 'Includes guest orders with the same e-mail. Send it to a customer who requests their data.',
    of: PersonalData,
    by: CUSTOMER,
    failures: [
      new NotFound('Customer'),
      new CustomerWithoutEmail(),
      new TooManyRows('orders of a person', 1_000, 'customers export'),
    ],
  })
  async collect(@CurrentKey() asker: ApiKeyLookup, @Param('id') id: string) {
    return single(toPersonalData(await this.customers.collectOf(asker.store.id, id, originOf(asker))));
  }

  @Post(':id/erase')
  @HttpCode(200)
  @NeedsRecentSignIn('customers')
  @ApiPath(CUSTOMER)
  @ApiWrite({
    operationId: 'eraseCustomer',
    summary: 'Erase the personal data of a customer',
    description:
      'Includes guest orders with the same e-mail. Amounts, lines and stock are kept. This cannot be undone.',
    of: Erasure,
    body: { type: EraseCustomerRequest, example: { force: false }, isOptional: true },
    answer: { status: 200, description: 'What was changed.' },
    failures: [
      new NotFound('Customer'),
      new CustomerWithoutEmail(),
      new OrdersOpen([]),
      new TooManyRows('orders of a person', 1_000, 'customers erase'),
      new TooManyRows('order records of a person', 20_000, 'customers erase'),
      new CommitOutcomeUnknown(null),
    ],
  })
  async erase(
    @CurrentKey() asker: ApiKeyLookup,
    @Param('id') id: string,
    @Body(StrictBodyPipe) { force }: EraseCustomerRequest,
  ) {
    return single(toErasure(await this.customers.eraseOf(asker.store.id, id, force ?? false, originOf(asker))));
  }
}
