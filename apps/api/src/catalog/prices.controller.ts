import {
  ChangePrices,
  CursorInvalid,
  Deadline,
  decodePriceCursor,
  encodePriceCursor,
  originOf,
  PriceListsService,
  type ApiKeyLookup,
  type UnitPricesFilter,
} from '@app/application';
import { PricesRefused, ReferenceTaken, UnknownPriceList } from '@app/domain';
import * as is from '@app/representations';
import { PriceChange, toPriceChange, toUnitPrices, UnitPrices } from '@app/representations';
import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import {
  CurrentKey,
  CurrentStore,
  RequestDeadline,
  type CurrentStoreContext,
} from '../access/current-store.decorator.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { IdempotencyKey } from '../body/idempotency-key.decorator.js';
import { RequestHash } from '../body/request-hash.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { answer, ApiParameters, ApiRead, ApiWrite } from '../openapi/endpoints.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { exactFilter, lastOf, LIMIT, SKUS, type Parameter } from '../query/parameters.js';
import { queryOf, ReadQuery, type Query, type ValuesOf } from '../query/query.js';
import { ChangePricesRequest, toPriceLine } from './prices.request.js';
import { MAX_ROWS } from '../query/pages.js';
import { AsTable } from '../query/table.decorator.js';
import { invalidField } from '../errors/invalid-fields.js';

const CURSOR: Parameter<string | undefined> = {
  name: 'cursor',
  description:
    'The `cursor` of the previous page, with the same filters. The example shows only the format: the service ' +
    'refuses it with 400 `cursor_invalid`.',
  schema: { type: 'string', examples: ['cDEuMS43MC4xMi4wYWIxMmNkMw'] },
  read: lastOf,
};

const PARAMETERS = queryOf<UnitPricesFilter & { readonly cursor?: string; readonly limit: number }>({
  list: exactFilter('list', 'the code of their price list', 'RESELLER'),
  skus: SKUS,
  cursor: CURSOR,
  limit: LIMIT,
});

const QUERY = {
  ...PARAMETERS,
  read: ((query, page) => ({ ...PARAMETERS.read(query), position: page?.position })) satisfies Query['read'],
};

const PROGRESS = is.object({
  cursor: is.text('Where the next page begins. Opaque. `""` if the first page is empty.', 'cDEuMS43MC4xMi4wYWIxMmNkMw'),
  has_more: is.flag('Whether there is a next page.'),
});

@Controller('v1/prices')
@Documented({
  tag: 'Prices',
  description: 'The prices of products and variants, in the catalog and in price lists.',
  schemas: [UnitPrices, PriceChange],
})
export class PricesController {
  constructor(
    private readonly changePrices: ChangePrices,
    private readonly lists: PriceListsService,
  ) {}

  @Get()
  @ApiParameters
  @ApiRead(
    {
      operationId: 'listPrices',
      summary: 'Prices of the catalog or of a price list, by product',
      description:
        'With `list`, returns the products and variants for which the list has prices. Without `list`, returns all ' +
        'products and variants of the catalog, including drafts, archived products and inactive variants. Sorted by ' +
        'product id, then by variant id, the product itself first. Money is in major units: 10.99 is 10.99 USD.',
      failures: [new CursorInvalid()],
    },
    {
      schema: answer('UnitPricesPage', { data: Type.Array(is.ref(UnitPrices.name)), ...PROGRESS.properties }),
      example: { success: true, data: [UnitPrices.example], ...is.exampleOf(PROGRESS) },
    },
  )
  @AsTable(UnitPrices)
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { cursor, limit, position, ...filter }: ValuesOf<typeof QUERY>,
  ) {
    const after = cursor === undefined ? null : decodePriceCursor(cursor, store.id);
    const { rows, hasMore } = await this.lists.prices(store.id, filter, { limit, ...(after && { after }) });
    const total = position?.after === null ? await this.lists.countPrices(store.id, filter, after, MAX_ROWS + 1) : null;
    const last = rows.at(-1);
    return {
      success: true,
      data: rows.map((row) => toUnitPrices(row, filter.list ?? '', store.currency)),
      cursor: last ? encodePriceCursor(store.id, last) : (cursor ?? ''),
      has_more: hasMore,
      ...(total !== null && { pagination: { total } }),
    };
  }

  @Post()
  @HttpCode(200)
  @NeedsScope('catalog')
  @ApiWrite({
    operationId: 'changePrices',
    summary: 'Set prices',
    description:
      'Applies the lines in their order. A line writes its price only if the current price is the `expected` one. A ' +
      'line with `variant_id` sets the price of the variant. A line without it sets the price of the product itself, ' +
      'which product lists show and which applies to order lines without a variant. ' +
      'The prices of drafts, archived products and inactive ' +
      'variants can be set, too. A refused line changes nothing; the other lines apply unless the request is ' +
      '`atomic`. A line with the current price changes nothing, not even `updated_at`. With `list`, the lines set ' +
      'prices of that price list. A repeated request with the same `reference` is ' +
      'applied once and gets the first answer.',
    of: PriceChange,
    body: {
      type: ChangePricesRequest,
      example: { reference: 'PRICES-261127', lines: [{ sku: 'R-1-42', price: '84.90', expected: '79.90' }] },
      moreExamples: {
        list: {
          summary: 'The price of a list from 12 units on, in boxes of 6',
          value: {
            list: 'RESELLER',
            lines: [{ sku: 'R-1-42', price: '59.90', expected: null, from_quantity: 12, min_quantity: 6, step: 6 }],
          },
        },
      },
    },
    answer: {
      status: 200,
      description: 'The result of each line, of this request or of the earlier one that it repeats.',
    },
    isRepeatable: true,
    failures: [
      invalidField('lines must have 1 to 500 entries'),
      new PricesRefused([{ path: 'lines[0]', message: 'stale: The price is 82.00, not 79.90' }]),
      new ReferenceTaken(),
      new UnknownPriceList('RESELLER'),
    ],
  })
  async change(
    @CurrentKey() asker: ApiKeyLookup,
    @IdempotencyKey() idempotencyKey: string | null,
    @RequestHash() requestHash: Buffer,
    @RequestDeadline() deadline: Deadline,
    @Body(StrictBodyPipe) body: ChangePricesRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { mode, store } = asker;
    const { reference = null, list = null } = body;
    const { lines, isReplay } = await this.changePrices.execute({
      storeId: store.id,
      currency: store.currency,
      list,
      lines: body.lines.map((line) => toPriceLine(line, store.currency, list)),
      reference,
      isAtomic: body.atomic ?? false,
      requestHash,
      idempotency: idempotencyKey === null ? null : { storeId: store.id, mode, key: idempotencyKey },
      origin: originOf(asker),
      deadline,
    });
    if (isReplay) reply.header('idempotent-replayed', 'true');
    return single(toPriceChange(reference, lines, store.currency));
  }
}
