import {
  CommitOutcomeUnknown,
  Deadline,
  originOf,
  PriceListsService,
  type ApiKeyLookup,
  type PriceListFilter,
} from '@app/application';
import { CurrencyMismatch, MAX_PRICE_LISTS, NotFound, PriceListInUse, TooManyPriceLists, VALUES } from '@app/domain';
import { PriceList, toPriceListResponse } from '@app/representations';
import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import {
  CurrentKey,
  CurrentStore,
  RequestDeadline,
  type CurrentStoreContext,
} from '../access/current-store.decorator.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { list, single } from '../envelope.js';
import { invalidField } from '../errors/invalid-fields.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiPath, ApiSingle, ApiWrite } from '../openapi/endpoints.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { dateFilter, exactFilter } from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import { PutPriceListRequest, toPriceList } from './price-lists.request.js';

const QUERY = listQuery<PriceListFilter>({
  code: exactFilter('code', 'the code', 'RESELLER'),
  customerGroup: exactFilter('customer_group', 'one of the groups', 'reseller'),
  validOn: dateFilter('valid_on', 'Only the lists that apply on this day.'),
});

const CODE = { name: 'code', description: 'The code of the list. Letter case matters.', example: 'RESELLER' };

@Controller('v1/price-lists')
@Documented({
  tag: 'Price lists',
  description: 'Prices for single customers and for groups of customers.',
  schemas: [PriceList],
})
export class PriceListsController {
  constructor(private readonly lists: PriceListsService) {}

  @Get()
  @ApiList({
    operationId: 'listPriceLists',
    summary: 'Price lists, by code',
    description: 'Sorted by code, as code points. `GET /v1/prices` has the prices of a list.',
    of: PriceList,
  })
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.lists.list(store.id, filter, page);
    return list(
      rows.map((row) => toPriceListResponse(row, store.currency)),
      total,
      page,
    );
  }

  @Get(':code')
  @ApiSingle({ operationId: 'getPriceList', summary: 'One price list', of: PriceList, by: CODE })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @Param('code') code: string) {
    return single(toPriceListResponse(await this.lists.retrieve(store.id, code), store.currency));
  }

  @Put(':code')
  @NeedsScope('catalog')
  @ApiPath(CODE)
  @ApiWrite({
    operationId: 'putPriceList',
    summary: 'Create or change a price list',
    description:
      'Creates the list, or replaces all that it says: an absent field has its default. The prices of the list stay; ' +
      '`POST /v1/prices` sets them. The same request again changes nothing.',
    of: PriceList,
    body: {
      type: PutPriceListRequest,
      example: { name: 'Resellers', priority: 10, customer_groups: ['reseller'] },
    },
    answer: { status: 200, description: 'The list.' },
    failures: [
      invalidField(`code ${VALUES.code.rule}`),
      invalidField('valid_to must not be before valid_from'),
      new CurrencyMismatch('USD'),
      new TooManyPriceLists(MAX_PRICE_LISTS),
      new CommitOutcomeUnknown(null),
    ],
  })
  async put(
    @CurrentKey() asker: ApiKeyLookup,
    @Param('code') code: string,
    @Body(StrictBodyPipe) body: PutPriceListRequest,
  ) {
    const { store } = asker;
    const saved = await this.lists.save(store.id, toPriceList(code, body, store.currency), originOf(asker));
    return single(toPriceListResponse(saved, store.currency));
  }

  @Delete(':code')
  @NeedsScope('catalog')
  @ApiPath(CODE)
  @ApiWrite({
    operationId: 'deletePriceList',
    summary: 'Delete a price list',
    description:
      'Deletes the list with its prices, as a whole or not at all, and answers with the list as it was. No customer may ' +
      'have it as `price_list`.',
    of: PriceList,
    answer: { status: 200, description: 'The list as it was.' },
    failures: [new NotFound('Price list'), new PriceListInUse('RESELLER'), new CommitOutcomeUnknown(null)],
  })
  async delete(@CurrentKey() asker: ApiKeyLookup, @Param('code') code: string, @RequestDeadline() deadline: Deadline) {
    const { store } = asker;
    const deleted = await this.lists.delete(store.id, code, deadline, originOf(asker));
    return single(toPriceListResponse(deleted, store.currency));
  }
}
