import {
  OrderRepository,
  type OrderFilter,
  type OrderLocation,
  type OrderRecord,
  type OrderSummary,
  type Page,
  type PageOf,
} from '@app/application';
import { isUuid } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { anyOf } from '../lists/any-of.js';
import { Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { readNewestFirst } from '../lists/newest-first.js';
import { matchesNothing, NO_ROWS } from '../lists/paging.js';
import { SharedReads } from '../lists/shared-reads.js';
import { addSearch } from '../lists/search-terms.js';
import { IS_HELD } from './order-stages.js';
import { toOrderRecord, toOrderSummary, type OrderRecordRow, type OrderRow } from './order.rows.js';

const SUMMARY = `receipt_number, status, fulfillment_status, payment_method, amount, total_amount, currency,
  customer_name, source`;

const SEARCHED = {
  email: 'item.customer_email',
  emailKey: 'item.email_key',
  other: 'item.receipt_number',
  otherHasAt: false,
};

// PostgreSQL hashes the ids of NOT IN once. NOT EXISTS would look up each order that a deep page skips.
const HELD_IDS = `(SELECT stage.order_id FROM order_stages AS stage WHERE stage.store_id = $1 AND ${IS_HELD})`;

/** The orders under review, which the list of the others does not count. */
const HELD = {
  rows: `orders AS item WHERE item.store_id = $1 AND item.id IN ${HELD_IDS}`,
  labels: 'ARRAY[item.source, item.status, item.fulfillment_status]',
};

// A subquery collects each part of an order: joins would multiply lines by stages. Lines and stages travel as arrays,
// which take both sides half as long as objects with a name for each value. Amounts travel as text, because JSON numbers are
// not exact.
const FIND = `/* orders.find */
  SELECT id, created_at, ${SUMMARY}, tax_amount, shipping_amount, discount_amount, customer_id, customer_email,
    customer_phone, shipping_address, billing_address, notes, external_reference, is_test, placed, updated_at,
    (SELECT coalesce(json_agg(json_build_array(line.product_id, line.variant_id, line.sku, line.name, line.attributes,
        line.attribute_names, line.unit_price::text, line.quantity, line.line_total::text) ORDER BY line.position), '[]')
      FROM order_lines line WHERE line.store_id = orders.store_id AND line.order_id = orders.id) AS lines,
    (SELECT json_build_object('verdict', fraud.verdict, 'score', fraud.score, 'reasons', fraud.reasons)
      FROM fraud_assessments fraud WHERE fraud.store_id = orders.store_id AND fraud.order_id = orders.id) AS fraud,
    (SELECT coalesce(json_agg(json_build_array(stage.stage, stage.state, stage.attempts, stage.last_error, stage.updated_at)
        ORDER BY stage.position, stage.stage), '[]')
      FROM order_stages stage WHERE stage.store_id = orders.store_id AND stage.order_id = orders.id) AS stages
  FROM orders`;

@Injectable()
export class PostgresOrderRepository extends OrderRepository {
  private readonly byId = new SharedReads((storeId, ids) => this.findByIds(storeId, ids));

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<OrderSummary>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { status, fulfillmentStatus, source, held, externalReference, search: term } = filter;
    const where = new Conditions('item.store_id = ?', storeId);
    // Stored in upper case: folding the value, not the column, leaves the indexes usable.
    if (status !== undefined) where.and('item.status = upper(?)', status);
    if (fulfillmentStatus !== undefined) where.and('item.fulfillment_status = upper(?)', fulfillmentStatus);
    if (source !== undefined) where.and('item.source = upper(?)', source);
    if (held !== undefined) where.and(`item.id ${held ? 'IN' : 'NOT IN'} ${HELD_IDS}`);
    if (externalReference !== undefined) where.and('item.external_reference = ?', externalReference);
    const search = term === undefined ? { onePlan: true } : addSearch(where, SEARCHED, term);

    const heldOut = held === false ? HELD : undefined;
    const labels = [source, status, fulfillmentStatus];
    // Few orders are under review: they are counted, and subtracted from the tally of all orders.
    const isTallied = term === undefined && held !== true && externalReference === undefined;
    const tally = isTallied ? ({ list: 'orders', labels, letterCase: 'upper', without: heldOut } as const) : null;
    const list = {
      table: 'orders',
      columns: SUMMARY,
      where,
      tally,
      ...search,
      isLookUp: externalReference !== undefined && term === undefined,
    };
    const { rows, total } = await readNewestFirst<OrderRow>(this.database, list, page);
    return { rows: rows.map(toOrderSummary), total };
  }

  override findById(storeId: number, id: string): Promise<OrderRecord | null> {
    return this.byId.find(storeId, id.toLowerCase());
  }

  override async findByIds(storeId: number, ids: readonly string[]): Promise<OrderRecord[]> {
    const sql = `${FIND} WHERE store_id = $1 AND ${anyOf('id', '$2::uuid[]')}`;
    return (await this.database.queryPrepared<OrderRecordRow>(sql, [storeId, ids])).map(toOrderRecord);
  }

  override async findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null> {
    const sql = `${FIND} WHERE store_id = $1 AND upper(receipt_number) = upper($2)`;
    const [row] = await this.database.queryPrepared<OrderRecordRow>(sql, [storeId, receiptNumber]);
    return row ? toOrderRecord(row) : null;
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
