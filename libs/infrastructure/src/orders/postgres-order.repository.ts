import {
  OrderRepository,
  type JournalFilter,
  type JournalPage,
  type JournalPosition,
  type ListedOrder,
  type OrderEventRecord,
  type OrderFilter,
  type OrderKey,
  type OrderLocation,
  type OrderRecord,
  type OrderSums,
  type OrderSumsFilter,
  type ProductSums,
  type ProductSumsFilter,
  type Page,
  type PageOf,
  type TimeRange,
} from '@app/application';
import {
  isMetadata,
  isReceiptNumber,
  ledgerOf,
  NotFound,
  readUuid,
  taxLinesOf,
  type Metadata,
  type OrderLedger,
  type Tax,
  type TaxLine,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { anyOf, Conditions } from '../lists/conditions.js';
import { changedAt } from '../feed/updated-at.js';
import { Database } from '../postgres/database.js';
import { toSafeInteger } from '../postgres/integers.js';
import type { Statement } from '../postgres/transaction-sql.js';
import { readByTime, type OneOf, type TimedList } from '../lists/by-time.js';
import { matchesNothing, NO_ROWS, offsetOf, type Counted } from '../lists/paging.js';
import { assertWithinBytes, bytesOf, withinBytes, type Weighed } from '../lists/page-bytes.js';
import { SharedReads } from '../lists/shared-reads.js';
import { inRange } from '../lists/time-range.js';
import { addSearch, isOddEmail } from '../lists/search-terms.js';
import { toEventRecord, type EventRow } from './order-event.rows.js';
import { IS_FAILED_MAIL } from './order-stages.js';
import { countJournal, readJournal } from './journal.js';
import { sumsOfOrders } from './order-sums.js';
import { sumsOfProducts } from './product-sums.js';
import {
  INCLUDED,
  INCLUDED_COLUMNS,
  LINE_PARTS,
  METADATA_PART,
  PAID_PART,
  PAYMENTS_PART,
  TAXES_PART,
  ORDER_SUMMARY,
  placerName,
  placerType,
  REFUNDED_PART,
  SELECT_ORDERS,
} from './order.sql.js';
import { hasCustomerEmail } from './person.js';
import { toLines, toOrderRecord, toPayments, type LineParts, type OrderRow } from './order.rows.js';

export const SEARCHED_ORDERS = {
  email: 'item.customer_email',
  emailKey: 'item.email_key',
  isOdd: `${isOddEmail('item.customer_email')} OR item.search_text LIKE '%' || chr(9001) || '%@%'`,
};

const WITH_FAILED_MAIL = `SELECT stage.order_id FROM order_stages AS stage WHERE stage.store_id = $1 AND ${IS_FAILED_MAIL}`;

const FIND = `/* orders.find */ ${SELECT_ORDERS}`;

const FIND_BY_IDS = `${FIND} WHERE item.store_id = $1 AND ${anyOf('item.id', '$2::uuid[]')}`;

const FIND_BY_RECEIPTS = `${FIND} WHERE item.store_id = $1 AND ${anyOf('upper(item.receipt_number)', '$2::text[]')}`;

const IDS_OF_MODE = `/* orders.ids_of_mode */
  SELECT id FROM orders WHERE store_id = $1 AND ${anyOf('id', '$2::uuid[]')} AND is_test = $3`;

// The first event is derived from the order, which stores its time and the key that placed it. The others are read by
// the primary key, in its sequence: a page reads no more than it skips and shows.
const HISTORY = withinBytes(
  `(SELECT 0::bigint AS id, created_at AS at, ${placerType('of')} AS actor_type,
      coalesce(placed_by::text, '') AS actor_id,
      ${placerName('of')} AS actor_name,
      CASE WHEN placed THEN 'placed' ELSE 'imported' END AS event, NULL AS field, NULL AS from_value, NULL AS to_value,
      '' AS reference,
      jsonb_build_object('total_amount', coalesce((
          SELECT (details ->> 'total_before')::bigint FROM order_events AS event
          WHERE event.store_id = $1 AND order_id = of.id AND event.event = 'lines_changed' ORDER BY event.id LIMIT 1),
          total_amount), 'status', coalesce((
          SELECT from_value FROM order_events AS event
          WHERE event.store_id = $1 AND order_id = of.id AND field = 'status' ORDER BY event.id LIMIT 1), status),
        'fulfillment_status', coalesce((
          SELECT from_value FROM order_events AS event
          WHERE event.store_id = $1 AND order_id = of.id AND field = 'fulfillment_status' ORDER BY event.id LIMIT 1),
          fulfillment_status)) AS what
    WHERE $4 = 0)
    UNION ALL
    (SELECT event.id, at, actor_type, actor_id, actor_name, event, field, from_value, to_value, reference, details
    FROM order_events AS event WHERE event.store_id = $1 AND order_id = of.id
    ORDER BY event.id LIMIT $3::bigint - ($4 = 0)::int OFFSET greatest($4::bigint - 1, 0))`,
  [{ name: 'details', sql: 'page.what' }],
);
const historyBy = (condition: string) => `/* orders.history */
  WITH of AS MATERIALIZED (
    SELECT *, (SELECT count(*) FROM order_events AS event WHERE event.store_id = $1 AND order_id = found.id) AS events
    FROM orders AS found WHERE store_id = $1 AND ${condition}
  )
  SELECT events + 1 AS total, page.id, page.at, actor_type, actor_id, actor_name, event, field, from_value, to_value, reference,
    page.details, "pageBytes", "pageRows"
  FROM of LEFT JOIN LATERAL ${HISTORY} AS page ON true
  ORDER BY page.id`;

interface HistoryRow extends EventRow, Counted, Weighed {
  readonly id: number | null;
}

const UNIQUE = `(SELECT id FROM orders WHERE store_id = $1 AND ${anyOf('id', '?::uuid[]')}
  UNION SELECT id FROM orders WHERE store_id = $1 AND ${anyOf('upper(receipt_number)', '?::text[]')})`;

/** @returns whether a unique key limits the list to a few orders. */
function addLookUps(where: Conditions, filter: OrderFilter): boolean {
  const { ids, externalReference, customerId, email } = filter;
  if (ids) {
    const receipts = ids.filter(isReceiptNumber).map((receipt) => receipt.toUpperCase());
    where.and(
      `item.id IN ${UNIQUE}`,
      ids.flatMap((id) => readUuid(id) ?? []),
      receipts,
    );
  }
  if (externalReference !== undefined) where.and('item.external_reference = ?', externalReference);
  if (customerId !== undefined) where.and('item.customer_id = ?', customerId);
  if (email !== undefined) where.and(hasCustomerEmail(where.bind(email)));
  return ids !== undefined || externalReference !== undefined;
}

/** Binds the metadata. The index stores them under the id of their store, so that it finds none of other stores. */
function hasMetadata(where: Conditions, metadata: Metadata): string {
  const store = 'item.store_id::text';
  return `jsonb_set(jsonb_object(ARRAY[${store}, '']), ARRAY[${store}], item.metadata)
    @> jsonb_build_object($1::int, ${where.bind(JSON.stringify(metadata))}::jsonb) AND item.metadata <> '{}'`;
}

/**
 * SQL for the ids of orders with a payment in the range. It reads all such payments, 8 µs each, and binds the range's
 * ends.
 */
function paidIn(range: TimeRange, where: Conditions): string {
  return `SELECT order_id FROM payments WHERE store_id = $1${inRange('at', range, where)}`;
}

/** Whether a filter has a list without a value that an order can have. */
function hasNoValue({ status, fulfillmentStatus, source, customerId, email, metadata = {} }: OrderFilter): boolean {
  const isNoCustomer = customerId !== undefined && readUuid(customerId) === null;
  if (isNoCustomer || email === '' || !isMetadata(metadata)) return true;
  return [status, fulfillmentStatus, source].some((values) => values?.length === 0);
}

/** Adds a condition for each column with a single value. @returns the columns with several values. */
function addLabels(where: Conditions, labels: readonly (readonly [string, readonly string[] | undefined])[]): OneOf[] {
  return labels.flatMap(([column, values = []]) => {
    if (values.length === 1) where.and(`${column} = ?`, values[0]);
    return values.length > 1 ? [{ column, values }] : [];
  });
}

export function readOrder({ storeId, orderId }: OrderKey): Statement {
  return { text: FIND_BY_IDS, values: [storeId, [orderId]] };
}

export function readRow(rows: readonly unknown[] = []): OrderRow {
  const [row] = rows as readonly OrderRow[];
  if (!row) throw new NotFound('Order');
  return row;
}

/** A row with the parts that the list includes. Payments that are not shown appear as sums. */
interface ListedRow
  extends
    Omit<ListedOrder, 'lines' | 'payments'>,
    LineParts,
    Pick<OrderRow, 'payments' | 'cancelledAmount' | 'cancellationFee' | 'isTaxIncluded'>,
    Weighed {
  readonly taxes: readonly (readonly Tax[])[];
  readonly refunds: readonly { readonly amount: string; readonly credited: string }[];
}

function toLedger(order: Omit<ListedRow, 'lines' | 'shipments' | 'allocations' | 'taxes'>): OrderLedger {
  const payments = order.payments.map(({ amount, writtenOff }) => {
    return { amount: toSafeInteger(amount), writtenOff: toSafeInteger(writtenOff) };
  });
  const refunds = order.refunds.map(({ amount, credited }) => {
    return { amount: toSafeInteger(amount), credited: toSafeInteger(credited) };
  });
  return ledgerOf({ ...order, payments, refunds });
}

function toTaxLines(taxes: ListedRow['taxes'], { isTaxIncluded }: Pick<ListedRow, 'isTaxIncluded'>): TaxLine[] {
  return taxLinesOf({ isTaxIncluded, shippingTax: [], lines: taxes.map((tax) => ({ tax })) });
}

@Injectable()
export class PostgresOrderRepository extends OrderRepository {
  private readonly byId = this.shared(FIND_BY_IDS, ({ id }) => id);
  private readonly byReceipt = this.shared(FIND_BY_RECEIPTS, ({ receiptNumber }) => receiptNumber.toUpperCase());

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<ListedOrder>> {
    if (matchesNothing(filter) || hasNoValue(filter)) return NO_ROWS;
    const { status, fulfillmentStatus, source, held, isTest, search: term, include = [] } = filter;
    const where = new Conditions('item.store_id = ?', storeId);
    const isLookUp = addLookUps(where, filter);
    const isByPayment = filter.paidFrom !== undefined || filter.paidTo !== undefined;
    // These conditions have no parameters, so that they imply those of the indexes.
    if (held !== undefined) where.and(`item.held_reasons IS ${held ? 'NOT NULL' : 'NULL'}`);
    if (isTest !== undefined) where.and(isTest ? 'item.is_test' : 'NOT item.is_test');
    if (filter.refundDue) where.and('item.balance < 0');
    if (filter.open) where.and('item.balance > 0');
    if (filter.overdue) where.and('item.balance > 0 AND item.due_at < now()');
    const ids = [
      ...(isByPayment ? [paidIn({ from: filter.paidFrom, to: filter.paidTo }, where)] : []),
      ...(filter.mailFailed ? [WITH_FAILED_MAIL] : []),
    ];
    const mode = isTest === undefined ? undefined : [isTest ? 'TEST' : 'LIVE'];
    const review = held === undefined ? undefined : [held ? 'HELD' : 'OPEN'];
    const labels = [source, status, fulfillmentStatus, mode, review];
    const oneOf = addLabels(where, [
      ['item.source', source],
      ['item.status', status],
      ['item.fulfillment_status', fulfillmentStatus],
    ]);
    const isFew =
      isLookUp ||
      filter.email !== undefined ||
      filter.customerId !== undefined ||
      filter.refundDue === true ||
      filter.open === true ||
      filter.overdue === true ||
      isByPayment ||
      filter.mailFailed === true ||
      filter.metadata !== undefined;
    const tagged = filter.metadata && hasMetadata(where, filter.metadata);
    if (tagged && term !== undefined) where.and(tagged);
    const search =
      term === undefined
        ? { onePlan: isFew, ...(tagged && { rare: tagged }) }
        : addSearch(where, SEARCHED_ORDERS, term);

    const isTallied = term === undefined && !isFew;
    const tally = isTallied ? { list: 'orders', labels } : null;
    const large = [
      ...(include.includes('metadata') ? [METADATA_PART] : []),
      ...(include.includes('line_items') ? LINE_PARTS : []),
      ...(include.includes('payments') ? [PAYMENTS_PART] : include.includes('amounts') ? [PAID_PART] : []),
      ...(include.includes('amounts') ? [REFUNDED_PART] : []),
      ...(include.includes('taxes') ? [TAXES_PART] : []),
    ];
    const list: TimedList = {
      table: 'orders',
      columns: include.length > 0 ? `${ORDER_SUMMARY}, ${INCLUDED_COLUMNS}` : ORDER_SUMMARY,
      ...(include.length > 0 && { onPage: `page.*, ${INCLUDED}` }),
      large,
      changedAt: changedAt('orders', 'item.id::text'),
      where,
      ...(oneOf.length > 0 && { oneOf }),
      ...(ids.length > 0 && { ids: ids.join(' INTERSECT ') }),
      created: { from: filter.createdFrom, to: filter.createdTo },
      updated: { from: filter.updatedFrom, to: filter.updatedTo },
      tally,
      ...search,
      isLookUp: isLookUp && term === undefined,
      // Live orders may be sparse: arbitrarily many test orders can precede them.
      isSparse: isTest === false,
    };
    if (large.length === 0) return readByTime<ListedOrder>(this.database, list, page);
    const { rows, total } = await readByTime<ListedRow>(this.database, list, page);
    const toOrder = ({
      lines,
      shipments,
      allocations,
      payments,
      refunds,
      taxes,
      ...order
    }: ListedRow): ListedOrder => ({
      ...order,
      ...(lines && { lines: toLines({ ...order, lines, shipments, allocations }) }),
      ...(include.includes('payments') && { payments: toPayments({ payments }) }),
      ...(include.includes('taxes') && { taxLines: toTaxLines(taxes, order) }),
      ...(include.includes('amounts') && { amounts: toLedger({ ...order, payments, refunds }) }),
    });
    return { rows: rows.map(toOrder), total, readBytes: bytesOf(rows) };
  }

  override findById(storeId: number, id: string): Promise<OrderRecord | null> {
    return this.byId.find(storeId, id);
  }

  override async findByIds(storeId: number, ids: readonly string[]): Promise<OrderRecord[]> {
    return (await this.database.queryPrepared<OrderRow>(FIND_BY_IDS, [storeId, ids])).map(toOrderRecord);
  }

  override async idsOfMode(storeId: number, ids: readonly string[], isTest: boolean): Promise<string[]> {
    const rows = await this.database.queryPrepared<{ id: string }>(IDS_OF_MODE, [storeId, ids, isTest]);
    return rows.map(({ id }) => id);
  }

  override findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null> {
    return this.byReceipt.find(storeId, receiptNumber.toUpperCase());
  }

  override async history(storeId: number, reference: string, page: Page): Promise<PageOf<OrderEventRecord>> {
    const isId = readUuid(reference) !== null;
    if (!isId && !isReceiptNumber(reference)) throw new NotFound('Order');
    const text = historyBy(isId ? 'id = $2' : 'upper(receipt_number) = upper($2)');
    const rows = await this.database.queryPrepared<HistoryRow>(text, [storeId, reference, page.limit, offsetOf(page)]);
    if (!rows[0]) throw new NotFound('Order');
    assertWithinBytes(rows);
    return { rows: rows.filter(({ id }) => id !== null).map(toEventRecord), total: Number(rows[0].total) };
  }

  override productSums(storeId: number, filter: ProductSumsFilter, page: Page): Promise<PageOf<ProductSums>> {
    return sumsOfProducts(this.database, storeId, filter, page);
  }

  override sums(storeId: number, filter: OrderSumsFilter): Promise<OrderSums[]> {
    return sumsOfOrders(this.database, storeId, filter);
  }

  override journal(storeId: number, filter: JournalFilter, page: JournalPage) {
    return readJournal(this.database, storeId, filter, page);
  }

  override countJournal(storeId: number, filter: JournalFilter, after: JournalPosition | null, most: number) {
    return countJournal(this.database, storeId, filter, after, most);
  }

  override locate(reference: string, subdomain: string | null): Promise<OrderLocation[]> {
    const condition = readUuid(reference) !== null ? 'orders.id = $1' : 'upper(orders.receipt_number) = upper($1)';
    return this.database.query(
      `/* orders.locate */ SELECT stores.id AS "storeId", stores.subdomain, orders.id AS "orderId"
       FROM stores JOIN orders ON orders.store_id = stores.id AND ${condition}
       WHERE $2::text IS NULL OR stores.subdomain = $2
       ORDER BY stores.id`,
      [reference, subdomain],
    );
  }

  private shared(text: string, keyOf: (order: OrderRecord) => string): SharedReads<OrderRecord> {
    return new SharedReads<OrderRecord>(async (storeId, keys) => {
      const rows = await this.database.queryPrepared<OrderRow>(text, [storeId, keys]);
      return rows.map(toOrderRecord);
    }, keyOf);
  }
}
