import {
  MAX_LIMIT,
  PageTooDeep,
  type JournalFilter,
  type JournalPage,
  type JournalPosition,
  type JournalRow,
  type JournalRows,
} from '@app/application';
import { BOOKING_KINDS, readUuid, taxLinesOf, type BookedAmounts, type BookingKind, type TaxLine } from '@app/domain';
import { Conditions } from '../lists/conditions.js';
import { assertWithinBytes, bytesOf, withinBytes, type LargePart, type Weighed } from '../lists/page-bytes.js';
import { offsetOf } from '../lists/paging.js';
import type { Database } from '../postgres/database.js';
import { toSafeInteger } from '../postgres/integers.js';
import { placerName, placerType } from './order.sql.js';

/** Limits the rows before a page, because the tallies of lists do not count both kinds of rows. */
const MAX_SKIPPED = 1_000;

// The limit is a constant, so that the planner knows that a page reads few rows.
const MAX_READ = MAX_SKIPPED + MAX_LIMIT + 1;

/** Sorts after the placing of every order at the same time. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

type Amounts = { readonly [Name in keyof BookedAmounts]: string };

interface Row extends Amounts, Weighed, Omit<JournalRow, keyof BookedAmounts | 'taxLines' | 'fee' | 'place'> {
  readonly booking: string;
  readonly taxLines: readonly TaxLine[] | null;
  /** The order whose taxes the row has. It is present for the placing of an order whose taxes never changed. */
  readonly taxedOrder: Parameters<typeof taxLinesOf>[0] | null;
  readonly fee: string;
  /** The number of rows found: one more than the page has when another page follows. */
  readonly found: string;
}

type Answered = JournalFilter & { readonly bookingKind: BookingKind | undefined };

/** Returns null for a filter that no row matches. */
function answered(filter: JournalFilter): Answered | null {
  const bookingKind = BOOKING_KINDS.find((word) => word === filter.kind?.toLowerCase());
  const isNoKind = filter.kind !== undefined && !bookingKind;
  const isNoOrder = filter.orderId !== undefined && readUuid(filter.orderId) === null;
  return isNoKind || isNoOrder ? null : { ...filter, bookingKind };
}

/** @throws PageTooDeep, PageTooLarge */
export async function readJournal(
  database: Database,
  storeId: number,
  filter: JournalFilter,
  page: JournalPage,
): Promise<JournalRows> {
  if (offsetOf(page) > MAX_SKIPPED) throw new PageTooDeep(MAX_SKIPPED, 'cursor');
  const asked = answered(filter);
  if (!asked) return { rows: [], hasMore: false, readBytes: 0 };
  const { text, values } = pageOf(storeId, asked, page);
  const rows = await database.queryPrepared<Row>(text, values);
  assertWithinBytes(rows);
  return { rows: rows.map(toRow), hasMore: Number(rows[0]?.found ?? 0) > page.limit, readBytes: bytesOf(rows) };
}

/** Counts at most `most` rows of either kind. */
export async function countJournal(
  database: Database,
  storeId: number,
  filter: JournalFilter,
  after: JournalPosition | null,
  most: number,
): Promise<number> {
  const asked = answered(filter);
  if (!asked) return 0;
  const { where, sources } = sourcesOf(storeId, asked, after);
  const counts = sources.map(({ sql }) => `(SELECT count(*) FROM (SELECT ${sql} LIMIT ${most}) AS rows)`);
  const text = `/* orders.journal_count */ SELECT ${counts.join(' + ')} AS rows`;
  const [counted] = await database.search<{ rows: string }>(text, where.values, { onePlan: true });
  return Number(counted?.rows);
}

interface Source {
  readonly rows: string;
  readonly at: string;
  readonly id: string;
  readonly orderId: string;
}

const PLACINGS: Source = {
  rows: 'created_at AS at, id AS order_id, 0::bigint AS booking FROM orders',
  ...{ at: 'created_at', id: 'id', orderId: 'id' },
};
const BOOKINGS: Source = {
  rows: 'at, order_id, id AS booking FROM bookings',
  ...{ at: 'at', id: 'id', orderId: 'order_id' },
};

const taxesOf = (isTest: boolean): readonly LargePart[] => [
  {
    name: 'taxLines',
    sql: `CASE WHEN page.booking > 0 THEN (SELECT tax_lines FROM bookings
          WHERE store_id = $1 AND is_test = ${isTest} AND at = page.at AND id = page.booking)
        ELSE (SELECT placed_tax_lines FROM orders WHERE store_id = $1 AND id = page.order_id) END`,
  },
  {
    name: 'taxedOrder',
    sql: `CASE WHEN page.booking = 0 THEN (
        SELECT json_build_object('isTaxIncluded', tax_included, 'shippingTax', coalesce(shipping_tax, '[]'), 'lines', (
          SELECT coalesce(json_agg(json_build_object('tax', tax) ORDER BY position), '[]') FROM order_lines
          WHERE store_id = $1 AND order_id = page.order_id AND tax IS NOT NULL))
        FROM orders WHERE store_id = $1 AND id = page.order_id AND placed_tax_lines IS NULL) END`,
  },
];

// Placing an order writes no booking, because each order would pay for it. Both tables are therefore read in the
// sequence of the journal, and merged.
function sourcesOf(storeId: number, filter: Answered, after: JournalPosition | null) {
  const { from, to, orderId, isTest = false, bookingKind: kind } = filter;
  const where = new Conditions('store_id = ?', storeId).and(isTest ? 'is_test' : 'NOT is_test');
  const bind = (value: unknown) => (value === undefined ? undefined : where.bind(value));
  const [begin, end, order, time] = [from, to, orderId, after?.at].map(bind);
  const rowsOf = (source: Source, afterId: string | undefined, more = '') => ({
    ...source,
    sql: `${source.rows} WHERE ${where.sql}${more}${begin ? ` AND ${source.at} >= ${begin}` : ''}${
      end ? ` AND ${source.at} < ${end}` : ''
    }${order ? ` AND ${source.orderId} = ${order}` : ''}${
      time ? ` AND (${source.at}, ${source.id}) > (${time}, ${where.bind(afterId)})` : ''
    }`,
  });
  const sources = [
    ...(kind && kind !== 'order' ? [] : [rowsOf(PLACINGS, after?.booking === '0' ? after.orderId : LAST_ID)]),
    ...(kind === 'order' ? [] : [rowsOf(BOOKINGS, after?.booking, kind && ` AND kind = ${where.bind(kind)}`)]),
  ];
  return { where, sources };
}

function pageOf(storeId: number, filter: Answered, page: JournalPage) {
  const { isTest = false } = filter;
  const { where, sources } = sourcesOf(storeId, filter, page.after ?? null);
  const last = where.bind(offsetOf(page) + page.limit + 1);
  const parts = sources.map(
    ({ sql, at, id }) => `(
      SELECT * FROM (
        SELECT ${sql}
        ORDER BY ${at}, ${id} LIMIT ${MAX_READ}
      ) AS first LIMIT ${last})`,
  );
  const rows = `SELECT *, count(*) OVER () AS found FROM (
      SELECT * FROM (${parts.join(' UNION ALL ')}) AS merged
      ORDER BY at, booking, order_id LIMIT ${where.bind(page.limit + 1)} OFFSET ${where.bind(offsetOf(page))}
    ) AS read ORDER BY at, booking, order_id LIMIT ${where.bind(page.limit)}`;
  const text = `/* orders.journal */
    SELECT page.at, coalesce(booking.booked_at, item.imported_at, page.at) AS "bookedAt", page.booking::text,
      coalesce(booking.kind, 'order') AS kind, page.order_id AS "orderId", item.receipt_number AS "receiptNumber",
      coalesce(item.external_reference, '') AS "externalReference", coalesce(booking.reference, '') AS reference, item.currency,
      coalesce(booking.charged, item.total_amount - coalesce((
        SELECT sum(charged) FROM bookings AS later
        WHERE later.store_id = $1 AND later.order_id = item.id AND later.charged <> 0), 0))::text AS charged,
      coalesce(booking.credited, 0)::text AS credited, coalesce(booking.paid, 0)::text AS paid,
      coalesce(booking.refunded, 0)::text AS refunded,
      page."taxLines", page."taxedOrder", page."pageBytes", page."pageRows", page.found,
      coalesce(payment.method, '') AS method, coalesce(payment.fee, 0)::text AS fee, coalesce(payment.payout, '') AS payout,
      CASE WHEN booking.id IS NULL THEN json_build_object('type', ${placerType('item')},
          'id', coalesce(item.placed_by::text, ''), 'name', ${placerName('item')})
        ELSE json_build_object('type', coalesce(event.actor_type, 'system'), 'id', coalesce(event.actor_id, ''),
          'name', coalesce(event.actor_name, '')) END AS actor
    FROM ${withinBytes(rows, taxesOf(isTest))} AS page
    JOIN orders AS item ON item.store_id = $1 AND item.id = page.order_id
    LEFT JOIN bookings AS booking ON booking.store_id = $1 AND booking.is_test = ${isTest} AND booking.at = page.at
      AND booking.id = page.booking
    LEFT JOIN LATERAL (
      SELECT method, fee, payout FROM payments
      WHERE store_id = $1 AND order_id = page.order_id AND reference = booking.reference AND booking.kind = 'payment' OFFSET 0
    ) AS payment ON true
    LEFT JOIN LATERAL (
      SELECT actor_type, actor_id, actor_name FROM order_events AS event
      WHERE event.store_id = $1 AND event.order_id = page.order_id AND event.id BETWEEN booking.event AND booking.event
      ORDER BY event.id LIMIT 1
    ) AS event ON true
    ORDER BY page.at, page.booking, page.order_id`;
  return { text, values: where.values };
}

function toRow({ booking, charged, credited, paid, refunded, fee, taxLines, taxedOrder, ...row }: Row): JournalRow {
  const taxes = taxedOrder ? taxLinesOf(taxedOrder) : (taxLines ?? []);
  return {
    ...row,
    charged: toSafeInteger(charged),
    credited: toSafeInteger(credited),
    paid: toSafeInteger(paid),
    refunded: toSafeInteger(refunded),
    fee: toSafeInteger(fee),
    taxLines: taxes.filter(({ amount }) => amount !== 0).sort(byRate),
    place: { at: row.at, booking, orderId: row.orderId },
  };
}

/** Sorts the highest rate first, so that a row is the same in each answer. */
function byRate(one: TaxLine, other: TaxLine): number {
  return other.rate - one.rate || (one.name < other.name ? -1 : 1);
}
