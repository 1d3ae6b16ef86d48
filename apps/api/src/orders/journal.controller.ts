import {
  CursorInvalid,
  decodeJournalCursor,
  encodeJournalCursor,
  OrdersService,
  PageTooDeep,
  PageTooLarge,
  type JournalFilter,
} from '@app/application';
import { BOOKING_KINDS } from '@app/domain';
import * as is from '@app/representations';
import { JournalEntry, toJournalEntry } from '@app/representations';
import { Controller, Get, Req } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { Documented } from '../openapi/documented.js';
import { answer, ApiParameters, ApiRead } from '../openapi/endpoints.js';
import { booleanFilter, exactFilter, lastOf, timeFilter, wordFilter, type Parameter } from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import { MAX_ROWS } from '../query/pages.js';
import { AsTable } from '../query/table.decorator.js';

const CURSOR: Parameter<string | undefined> = {
  name: 'cursor',
  description:
    'The `cursor` of the page before, with the same filters. `page` then counts from it. The example shows the form only: the ' +
    'service returns 400 with `cursor_invalid` for it.',
  schema: { type: 'string', examples: ['ajEuMS4xNzYzNjMxMDAwMDAwLjcuMDE5OWExYzI'] },
  read: lastOf,
};

const QUERY = listQuery<JournalFilter & { readonly cursor?: string }>({
  from: timeFilter('from', 'Only what counts for this time or later.'),
  to: timeFilter('to', 'Only what counts for a time before this one.'),
  kind: wordFilter('kind', 'kind', BOOKING_KINDS, BOOKING_KINDS[3]),
  orderId: exactFilter('order_id', 'the id of its order', '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f'),
  isTest: booleanFilter('is_test', 'only orders that were placed with a test key', 'only live orders, the default'),
  cursor: CURSOR,
});

const PROGRESS = is.object({
  cursor: is.text(
    'Where the next page begins. Opaque. `""` if the first page is empty.',
    'ajEuMS4xNzYzNjMxMDAwMDAwLjcuMDE5OWExYzI',
  ),
  has_more: is.flag('Whether there is a next page.'),
});

@Controller('v1/journal')
@Documented({
  tag: 'Journal',
  description: 'Amounts that orders charged, credited, received and refunded.',
  schemas: [JournalEntry],
})
export class JournalController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @ApiParameters
  @ApiRead(
    {
      operationId: 'listJournal',
      summary: 'List the bookings of all orders, oldest first',
      description:
        'A row for the placing of each order and for each change of its amounts, in the order of `at`. The sums of all rows of an order ' +
        'are its `total_amount`, `amount_credited`, `amount_paid` and `amount_refunded`. Money is in minor units.',
      failures: [new PageTooDeep(1_000, 'cursor'), new CursorInvalid(), new PageTooLarge(50)],
    },
    {
      schema: answer('JournalPage', { data: Type.Array(is.ref(JournalEntry.name)), ...PROGRESS.properties }),
      example: { success: true, data: [JournalEntry.example], ...is.exampleOf(PROGRESS) },
    },
  )
  @AsTable(JournalEntry)
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { filter: { cursor, ...filter }, page }: ValuesOf<typeof QUERY>,
    @Req() incoming: FastifyRequest,
  ) {
    const after = cursor === undefined ? null : decodeJournalCursor(cursor, store.id);
    const { rows, hasMore, readBytes } = await this.orders.journal(store.id, filter, {
      ...page,
      ...(after && { after }),
    });
    incoming.noteRead(readBytes);
    const total =
      page.position?.after === null ? await this.orders.countJournal(store.id, filter, after, MAX_ROWS + 1) : null;
    const last = rows.at(-1);
    return {
      success: true,
      data: rows.map(toJournalEntry),
      cursor: last ? encodeJournalCursor(store.id, last.place) : (cursor ?? ''),
      has_more: hasMore,
      ...(total !== null && { pagination: { total } }),
    };
  }
}
