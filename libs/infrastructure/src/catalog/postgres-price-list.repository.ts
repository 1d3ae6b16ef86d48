import {
  MAX_LIMIT,
  PriceListRepository,
  type ChangeOrigin,
  type Deadline,
  type Page,
  type PageOf,
  type PriceList,
  type PriceListFilter,
  type UnitPrices,
  type UnitPricesFilter,
  type SkuId,
  type UnitPricesPage,
} from '@app/application';
import { PriceListInUse } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { changesBetween, recordAudit } from '../audit/record-audit.js';
import { anyOf, Conditions } from '../lists/conditions.js';
import { matchesNothing, NO_ROWS, offsetOf, pageOf, type Counted } from '../lists/paging.js';
import { BulkLimiter } from '../postgres/bulk-limiter.js';
import { Database } from '../postgres/database.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { unitsOfLine } from '../stock/units-by-sku.js';
import { assertRoomForList } from './price-limits.js';
import { ruleOf } from './quantity-rules.js';

const COLUMNS = `code, name, priority, valid_from::text AS "validFrom", valid_to::text AS "validTo",
    customer_groups AS "customerGroups"`;

const FIND = `/* price_lists.find */ SELECT ${COLUMNS} FROM price_lists WHERE store_id = $1 AND ${anyOf('code', '$2::text[]')}`;

const SAVE = `/* price_lists.save */
  INSERT INTO price_lists (store_id, code, name, priority, valid_from, valid_to, customer_groups)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (store_id, code) DO UPDATE SET name = excluded.name, priority = excluded.priority,
    valid_from = excluded.valid_from, valid_to = excluded.valid_to, customer_groups = excluded.customer_groups`;

// Waits for writers of the list, and keeps customers from getting it.
const LOCK = `/* price_lists.lock */ SELECT name FROM price_lists WHERE store_id = $1 AND code = $2 FOR UPDATE`;

const IS_USED = `/* price_lists.is_used */
  SELECT 1 FROM customers WHERE store_id = $1 AND price_list = $2 LIMIT 1`;

const DELETE_RULES = `/* price_lists.delete_rules */
  DELETE FROM quantity_rules WHERE store_id = $1 AND ctid = ANY (ARRAY(
    SELECT rule.ctid FROM (
      SELECT DISTINCT product_id, variant_key, $2::text AS list FROM list_prices WHERE store_id = $1 AND list = $2
    ) AS unit CROSS JOIN ${ruleOf('unit', 'ctid')}))`;

// The foreign key of the prices deletes them, too.
const DELETE = `/* price_lists.delete */ DELETE FROM price_lists WHERE store_id = $1 AND code = $2`;

@Injectable()
export class PostgresPriceListRepository extends PriceListRepository {
  constructor(
    private readonly database: Database,
    private readonly bulkLimiter: BulkLimiter,
  ) {
    super();
  }

  override list(storeId: number, filter: PriceListFilter, page: Page): Promise<PageOf<PriceList>> {
    if (matchesNothing(filter)) return Promise.resolve(NO_ROWS);
    return pageOf(page, ({ limit, ...asked }) => {
      const where = whereOf(storeId, filter);
      const total = `(SELECT count(*) FROM price_lists WHERE ${where.sql})`;
      const text = `/* price_lists.list */
        SELECT ${total} AS total, ${COLUMNS} FROM price_lists WHERE ${where.sql}
        ORDER BY code COLLATE "C" LIMIT ${where.bind(limit)} OFFSET ${where.bind(offsetOf({ limit, ...asked }))}`;
      return this.database.query<PriceList & Counted>(text, where.values);
    });
  }

  override findByCodes(storeId: number, codes: readonly string[]): Promise<PriceList[]> {
    return this.database.queryPrepared(FIND, [storeId, codes]);
  }

  override save(storeId: number, list: PriceList, origin: ChangeOrigin): Promise<void> {
    const { code, name, priority, validFrom, validTo, customerGroups } = list;
    return this.database.transaction(storeId, async (sql) => {
      await assertRoomForList(sql, storeId, code);
      await sql.query(LOCK, [storeId, code]);
      const [before] = await sql.query<PriceList>(FIND, [storeId, [code]]);
      await sql.query(SAVE, [storeId, code, name, priority, validFrom, validTo, customerGroups]);
      await recordSaved(sql, storeId, origin, before, list);
    });
  }

  override delete(storeId: number, code: string, deadline: Deadline, origin: ChangeOrigin): Promise<boolean> {
    // A customer who gets the list while it is deleted must find all of it or none.
    const inTransaction = (sql: TransactionSql) => deleteList(sql, storeId, code, origin);
    return this.bulkLimiter.run(storeId, () => this.database.transaction(storeId, inTransaction, deadline), deadline);
  }

  override async prices(storeId: number, filter: UnitPricesFilter, page: UnitPricesPage) {
    const skus = filter.skus?.filter((sku) => !matchesNothing([sku]));
    if (matchesNothing(filter) || skus?.length === 0) return { rows: [], hasMore: false };
    const { text, values } = pricesOf(storeId, { ...filter, ...(skus && { skus }) }, page);
    const rows = await this.database.queryPrepared<UnitPrices>(text, values);
    return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit };
  }

  override async countPrices(storeId: number, filter: UnitPricesFilter, after: SkuId | null, most: number) {
    if (matchesNothing(filter)) return 0;
    const { where, units } = unitsOf(storeId, filter, after, `LIMIT ${most}`);
    const text = `/* price_lists.count_prices */ SELECT count(*) AS rows FROM (${units}) AS unit`;
    const [counted] = await this.database.search<{ rows: string }>(text, where.values, { onePlan: true });
    return Number(counted?.rows);
  }
}

async function deleteList(sql: TransactionSql, storeId: number, code: string, origin: ChangeOrigin): Promise<boolean> {
  const list = [storeId, code];
  const [found] = await sql.query<{ name: string }>(LOCK, list);
  if (!found) return false;
  const [used] = await sql.query(IS_USED, list);
  // @protects list-in-use
  if (used) throw new PriceListInUse(code);
  await sql.query(DELETE_RULES, list);
  await sql.query(DELETE, list);
  const subject = { kind: 'price_list', id: code, name: found.name } as const;
  await recordAudit(sql, storeId, origin, { action: 'price_list.deleted', subject, changes: {} });
  return true;
}

async function recordSaved(
  sql: TransactionSql,
  storeId: number,
  origin: ChangeOrigin,
  before: PriceList | undefined,
  after: PriceList,
): Promise<void> {
  const subject = { kind: 'price_list', id: after.code, name: after.name } as const;
  const terms = changesBetween(before ? termsOf(before) : NO_TERMS, termsOf(after));
  if (!before) await recordAudit(sql, storeId, origin, { action: 'price_list.created', subject, changes: terms });
  else if (Object.keys(terms).length > 0) {
    await recordAudit(sql, storeId, origin, { action: 'price_list.changed', subject, changes: terms });
  }
}

const NO_TERMS = { name: null, priority: null, valid_from: null, valid_to: null, customer_groups: null };

const termsOf = ({ name, priority, validFrom, validTo, customerGroups }: PriceList) => ({
  ...{ name, priority, valid_from: validFrom, valid_to: validTo, customer_groups: customerGroups },
});

function whereOf(storeId: number, { code, customerGroup, validOn }: PriceListFilter): Conditions {
  const where = new Conditions('store_id = ?', storeId);
  if (code !== undefined) where.and('code = ?', code);
  if (customerGroup !== undefined) where.and('? = ANY (customer_groups)', customerGroup);
  if (validOn !== undefined) {
    where.and(`?::date BETWEEN coalesce(valid_from, '-infinity') AND coalesce(valid_to, 'infinity')`, validOn);
  }
  return where;
}

/** The constant limit makes the planner, which has one plan for all pages, expect few rows. */
const FEW = `LIMIT ${MAX_LIMIT + 1}`;

/** SQL for the units after `after`. @param few the limit. */
function unitsOf(storeId: number, { list, skus }: UnitPricesFilter, after: SkuId | null, few: string) {
  const where = new Conditions('store_id = ?', storeId);
  const [product, variant] = [after?.productId ?? 0, after?.variantId ?? 0].map((id) => `${where.bind(id)}::int`);
  const last = `(${product}, ${variant})`;
  const code = list === undefined ? null : where.bind(list);
  const inOrder = `ORDER BY product_id, variant_key ${few}`;
  const ofList = `SELECT product_id, variant_key FROM list_prices
        WHERE store_id = $1 AND list = ${code} AND (product_id, variant_key) > ${last}
        GROUP BY product_id, variant_key ${inOrder}`;
  const ofCatalog = `SELECT * FROM (
          (SELECT id AS product_id, 0 AS variant_key FROM products WHERE store_id = $1 AND id > ${product} ORDER BY id ${few})
          UNION ALL
          (SELECT product_id, id FROM product_variants
          WHERE store_id = $1 AND (product_id, id) > ${last} ORDER BY product_id, id ${few})
        ) AS unit ${inOrder}`;
  const named = () => `SELECT DISTINCT unit.product_id, unit.variant_key
        FROM unnest(${where.bind(skus)}::text[]) AS given (sku) CROSS JOIN LATERAL ${unitsOfLine('given.sku')} AS unit
        WHERE (unit.product_id, unit.variant_key) > ${last}${
          code
            ? ` AND EXISTS (SELECT FROM list_prices AS listed WHERE listed.store_id = $1 AND listed.list = ${code}
          AND listed.product_id = unit.product_id AND listed.variant_key = unit.variant_key)`
            : ''
        } ${inOrder}`;
  return { where, code, units: skus ? named() : code ? ofList : ofCatalog };
}

/** Reads one row more than the page has: it shows whether another page follows. */
function pricesOf(storeId: number, filter: UnitPricesFilter, { limit, after }: UnitPricesPage) {
  const { where, code, units } = unitsOf(storeId, filter, after ?? null, FEW);
  const breaks = code
    ? `(SELECT json_agg(json_build_object('fromQuantity', from_quantity, 'price', price) ORDER BY from_quantity)
      FROM list_prices WHERE store_id = $1 AND product_id = page.product_id AND variant_key = page.variant_key AND list = ${code})`
    : `json_build_array(json_build_object('fromQuantity', 1, 'price', coalesce(variant.price, product.price)))`;
  const text = `/* price_lists.prices */
    SELECT page.product_id AS "productId", nullif(page.variant_key, 0) AS "variantId",
      coalesce(variant.sku, product.sku) AS sku, ${breaks} AS "priceBreaks",
      CASE WHEN rule.step IS NOT NULL THEN json_build_object('minQuantity', rule.min_quantity, 'step', rule.step) END AS rule
    FROM (SELECT few.*, ${code ?? `''`}::text AS list FROM (${units}) AS few LIMIT ${where.bind(limit + 1)}) AS page
    JOIN products AS product ON product.store_id = $1 AND product.id = page.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = page.variant_key
    LEFT JOIN ${ruleOf('page', 'min_quantity, step')} ON true
    ORDER BY page.product_id, page.variant_key`;
  return { text, values: where.values };
}
