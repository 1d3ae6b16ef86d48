import {
  OrderRepository,
  type ListedOrder,
  type OrderEventRecord,
  type OrderFilter,
  type OrderKey,
  type OrderLocation,
  type OrderRecord,
  type OrderSums,
  type OrderSumsFilter,
  type Page,
  type PageOf,
} from '@app/application';
import { isMetadata, isReceiptNumber, isUuid, NotFound, type Metadata } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { anyOf } from '../lists/any-of.js';
import { Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import type { Statement } from '../postgres/transaction-sql.js';
import { readByTime, type OneOf, type TimedList } from '../lists/by-time.js';
import { matchesNothing, NO_ROWS, offsetOf, type Counted } from '../lists/paging.js';
import { SharedReads } from '../lists/shared-reads.js';
import { addSearch } from '../lists/search-terms.js';
import { toEventRecord, type EventRow } from './order-event.rows.js';
import { IS_FAILED_MAIL, IS_HELD } from './order-stages.js';
import { sumsOfOrders } from './order-sums.js';
import { INCLUDED, INCLUDED_COLUMNS, ORDER_SUMMARY, placerName, placerType, SELECT_ORDERS } from './order.sql.js';
import { hasCustomerEmail } from './person.js';
import { toOrderRecord, type OrderRow } from './order.rows.js';

const SEARCHED = { email: 'item.customer_email', emailKey: 'item.email_key' };

const idsWith = (stage: string) =>
  `(SELECT stage.order_id FROM order_stages AS stage WHERE stage.store_id = $1 AND ${stage})`;
// PostgreSQL hashes the ids of NOT IN once. NOT EXISTS would look up each order that a deep page skips.
const HELD_IDS = idsWith(IS_HELD);

/** The orders under review, which the list of the others does not count. */
const HELD = {
  rows: `orders AS item WHERE item.store_id = $1 AND item.id IN ${HELD_IDS}`,
  labels: `ARRAY[item.source, item.status, item.fulfillment_status, CASE WHEN item.is_test THEN 'TEST' ELSE 'LIVE' END]`,
};

const FIND = `/* orders.find */ ${SELECT_ORDERS}`;

const FIND_BY_IDS = `${FIND} WHERE item.store_id = $1 AND ${anyOf('item.id', '$2::uuid[]')}`;

const IDS_OF_MODE = `/* orders.ids_of_mode */
  SELECT id FROM orders WHERE store_id = $1 AND ${anyOf('id', '$2::uuid[]')} AND is_test = $3`;

// The first event is derived from the order, which keeps its time and the key that placed it. The others come from the
// primary key, in its order: a page reads no more than it skips and shows.
const historyBy = (condition: string) => `/* orders.history */
  WITH of AS MATERIALIZED (
    SELECT *, (SELECT count(*) FROM order_events AS event WHERE event.store_id = $1 AND order_id = found.id) AS events
    FROM orders AS found WHERE store_id = $1 AND ${condition}
  )
  SELECT events + 1 AS total, page.*
  FROM of LEFT JOIN LATERAL (
    (SELECT 0::bigint AS id, created_at AS at, ${placerType('of')} AS actor_type,
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
          fulfillment_status)) AS details
    WHERE $4 = 0)
    UNION ALL
    (SELECT event.id, at, actor_type, actor_id, actor_name, event, field, from_value, to_value, reference, details
    FROM order_events AS event WHERE event.store_id = $1 AND order_id = of.id
    ORDER BY event.id LIMIT $3::bigint - ($4 = 0)::int OFFSET greatest($4::bigint - 1, 0))
  ) AS page ON true
  ORDER BY page.id`;

interface HistoryRow extends EventRow, Counted {
  readonly id: number | null;
}

const UNIQUE = `(SELECT id FROM orders WHERE store_id = $1 AND ${anyOf('id', '?::uuid[]')}
  UNION SELECT id FROM orders WHERE store_id = $1 AND ${anyOf('upper(receipt_number)', '?::text[]')})`;

/** @returns whether a unique key leaves a few orders at most. */
function addLookUps(where: Conditions, filter: OrderFilter): boolean {
  const { ids, externalReference, customerId, email } = filter;
  if (ids) {
    const receipts = ids.filter(isReceiptNumber).map((receipt) => receipt.toUpperCase());
    where.and(`item.id IN ${UNIQUE}`, ids.filter(isUuid), receipts);
  }
  if (externalReference !== undefined) where.and('item.external_reference = ?', externalReference);
  if (customerId !== undefined) where.and('item.customer_id = ?', customerId);
  if (email !== undefined) where.and(hasCustomerEmail(where.bind(email)));
  return ids !== undefined || externalReference !== undefined;
}

/** Binds the metadata. The index has no stores: few orders of all of them have the same value. */
function hasMetadata(where: Conditions, metadata: Metadata): string {
  return `item.metadata @> ${where.bind(JSON.stringify(metadata))}::jsonb AND item.metadata <> '{}'`;
}

/** A filter with no value that an order can have. */
function hasNoValue({ status, fulfillmentStatus, source, customerId, email, metadata = {} }: OrderFilter): boolean {
  const isNoCustomer = customerId !== undefined && !isUuid(customerId);
  if (isNoCustomer || email === '' || !isMetadata(metadata)) return true;
  return [status, fulfillmentStatus, source].some((values) => values?.length === 0);
}

/** One value is a condition. @returns the columns with several. */
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

@Injectable()
export class PostgresOrderRepository extends OrderRepository {
  private readonly byId = new SharedReads((storeId, ids) => this.findByIds(storeId, ids));

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<ListedOrder>> {
    if (matchesNothing(filter) || hasNoValue(filter)) return NO_ROWS;
    const { status, fulfillmentStatus, source, held, isTest, search: term, include = [] } = filter;
    const where = new Conditions('item.store_id = ?', storeId);
    const isLookUp = addLookUps(where, filter);
    if (held !== undefined) where.and(`item.id ${held ? 'IN' : 'NOT IN'} ${HELD_IDS}`);
    // No value: indexes have these conditions.
    if (isTest !== undefined) where.and(isTest ? 'item.is_test' : 'NOT item.is_test');
    if (filter.refundDue) where.and('item.refund_due > 0');
    if (filter.mailFailed) where.and(`item.id IN ${idsWith(IS_FAILED_MAIL)}`);
    const labels = [source, status, fulfillmentStatus, isTest === undefined ? undefined : [isTest ? 'TEST' : 'LIVE']];
    const oneOf = addLabels(where, [
      ['item.source', source],
      ['item.status', status],
      ['item.fulfillment_status', fulfillmentStatus],
    ]);
    const isFew =
      held === true ||
      isLookUp ||
      filter.email !== undefined ||
      filter.customerId !== undefined ||
      filter.refundDue === true ||
      filter.mailFailed === true ||
      filter.metadata !== undefined;
    const tagged = filter.metadata && hasMetadata(where, filter.metadata);
    if (tagged && term !== undefined) where.and(tagged);
    const search =
      term === undefined ? { onePlan: isFew, ...(tagged && { rare: tagged }) } : addSearch(where, SEARCHED, term);

    // Few orders are under review: they are counted, and subtracted from the tally of all orders.
    const isTallied = term === undefined && !isFew;
    const tally = isTallied ? { list: 'orders', labels, without: held === false ? HELD : undefined } : null;
    const list: TimedList = {
      table: 'orders',
      columns: include.length > 0 ? `${ORDER_SUMMARY}, ${INCLUDED_COLUMNS}` : ORDER_SUMMARY,
      ...(include.length > 0 && { onPage: `page.*, ${INCLUDED}` }),
      where,
      ...(oneOf.length > 0 && { oneOf }),
      created: { from: filter.createdFrom, to: filter.createdTo },
      updated: { from: filter.updatedFrom, to: filter.updatedTo },
      tally,
      ...search,
      isLookUp: isLookUp && term === undefined,
      // Any number of test orders may be newer than the live ones of a page.
      isSparse: isTest === false,
    };
    const orders = await readByTime<ListedOrder>(this.database, list, page);
    return include.includes('line_items') ? this.withLines(storeId, orders) : orders;
  }

  private async withLines(storeId: number, { rows, total }: PageOf<ListedOrder>): Promise<PageOf<ListedOrder>> {
    const ids = rows.map(({ id }) => id);
    const linesOf = new Map((await this.findByIds(storeId, ids)).map(({ id, lines }) => [id, lines]));
    return { rows: rows.map((row) => ({ ...row, lines: linesOf.get(row.id) ?? [] })), total };
  }

  override findById(storeId: number, id: string): Promise<OrderRecord | null> {
    return this.byId.find(storeId, id.toLowerCase());
  }

  override async findByIds(storeId: number, ids: readonly string[]): Promise<OrderRecord[]> {
    return (await this.database.queryPrepared<OrderRow>(FIND_BY_IDS, [storeId, ids])).map(toOrderRecord);
  }

  override async idsOfMode(storeId: number, ids: readonly string[], isTest: boolean): Promise<string[]> {
    const rows = await this.database.queryPrepared<{ id: string }>(IDS_OF_MODE, [storeId, ids, isTest]);
    return rows.map(({ id }) => id);
  }

  override async findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null> {
    const sql = `${FIND} WHERE item.store_id = $1 AND upper(item.receipt_number) = upper($2)`;
    const [row] = await this.database.queryPrepared<OrderRow>(sql, [storeId, receiptNumber]);
    return row ? toOrderRecord(row) : null;
  }

  override async history(storeId: number, reference: string, page: Page): Promise<PageOf<OrderEventRecord>> {
    if (!isUuid(reference) && !isReceiptNumber(reference)) throw new NotFound('Order');
    const text = historyBy(isUuid(reference) ? 'id = $2' : 'upper(receipt_number) = upper($2)');
    const rows = await this.database.queryPrepared<HistoryRow>(text, [storeId, reference, page.limit, offsetOf(page)]);
    if (!rows[0]) throw new NotFound('Order');
    return { rows: rows.filter(({ id }) => id !== null).map(toEventRecord), total: Number(rows[0].total) };
  }

  override sums(storeId: number, filter: OrderSumsFilter): Promise<OrderSums[]> {
    return sumsOfOrders(this.database, storeId, filter);
  }

  override locate(reference: string, subdomain: string | null): Promise<OrderLocation[]> {
    const condition = isUuid(reference) ? 'orders.id = $1' : 'upper(orders.receipt_number) = upper($1)';
    return this.database.query(
      `/* orders.locate */ SELECT stores.id AS "storeId", stores.subdomain, orders.id AS "orderId"
       FROM stores JOIN orders ON orders.store_id = stores.id AND ${condition}
       WHERE $2::text IS NULL OR stores.subdomain = $2
       ORDER BY stores.id`,
      [reference, subdomain],
    );
  }
}
