import {
  PriceChanges,
  type ChangedPrices,
  type PriceChangeRequest,
  type PriceLineResult,
  type SkuId,
} from '@app/application';
import { Money, PricesRefused, UnitPrice } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { BulkLimiter } from '../postgres/bulk-limiter.js';
import { applyOnce, refusalsOf } from '../postgres/line-requests.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Database } from '../postgres/database.js';
import { AMBIGUOUS_UNIT, invalidLine, unknownUnit } from '../stock/resolve-lines.js';

// Products are locked before their variants. An import uses the same sequence, and so does an order that empties a bin
// and locks its product.
const LOCK = `/* prices.lock */
  SELECT FROM products WHERE store_id = $1 AND id = ANY ($2)
  /* @protects price-lock */
  ORDER BY id FOR NO KEY UPDATE`;

// The prices are read after the lock, in another statement: a statement that has waited for the lock still sees the old
// rows.
const READ = `/* prices.read */
  SELECT asked.product_id, asked.variant_key, unit.sku, unit.price, unit.is_own
  FROM unnest($2::int[], $3::int[]) AS asked (product_id, variant_key)
  CROSS JOIN LATERAL (
    SELECT sku, price, true AS is_own FROM products
    WHERE asked.variant_key = 0 AND store_id = $1 AND id = asked.product_id
    UNION ALL
    SELECT variant.sku, coalesce(variant.price, product.price), variant.price IS NOT NULL
    FROM product_variants AS variant
    JOIN products AS product ON product.store_id = $1 AND product.id = asked.product_id
    WHERE variant.store_id = $1 AND variant.product_id = asked.product_id AND variant.id = asked.variant_key
    LIMIT 1
  ) AS unit`;

const WRITE = `/* prices.write */
  WITH changed AS (
    SELECT * FROM unnest($2::int[], $3::int[], $4::bigint[]) AS changed (product_id, variant_key, price)
  ), written AS (
    UPDATE products SET price = changed.price FROM changed
    WHERE products.store_id = $1 AND products.id = changed.product_id AND changed.variant_key = 0
  )
  UPDATE product_variants AS variant SET price = changed.price FROM changed
  WHERE variant.store_id = $1 AND variant.product_id = changed.product_id AND variant.id = changed.variant_key`;

interface PriceRow {
  readonly product_id: number;
  /** 0 stands for the product itself. */
  readonly variant_key: number;
  readonly sku: string;
  readonly price: number;
  /** False when a variant has the price of its product. */
  readonly is_own: boolean;
}

interface PricedUnit {
  readonly row: PriceRow;
  readonly price: UnitPrice;
}

@Injectable()
export class PostgresPriceChanges extends PriceChanges {
  constructor(
    private readonly database: Database,
    private readonly bulkLimiter: BulkLimiter,
  ) {
    super();
  }

  override apply(request: PriceChangeRequest): Promise<ChangedPrices> {
    const { storeId, deadline } = request;
    const apply = (sql: TransactionSql) => applyOnce(sql, 'prices', request, () => change(sql, request));
    return this.bulkLimiter.run(storeId, () => this.database.transaction(storeId, apply, deadline), deadline);
  }
}

async function change(sql: TransactionSql, request: PriceChangeRequest): Promise<readonly PriceLineResult[]> {
  const units = await lockUnits(sql, request);
  const results = request.lines.map((line, index) => ({ line: index + 1, ...outcomeOf(line, units) }));
  const refusals = refusalsOf(results);
  if (request.isAtomic && refusals.length > 0) throw new PricesRefused(refusals);
  await write(sql, request.storeId, [...units.values()]);
  return results;
}

/** Locks the units, and returns them by {@link keyOf}. */
async function lockUnits(
  sql: TransactionSql,
  { storeId, currency, lines }: PriceChangeRequest,
): Promise<ReadonlyMap<string, PricedUnit>> {
  const named = lines.flatMap(({ unit }) => (typeof unit === 'object' ? [unit] : []));
  if (named.length === 0) return new Map();
  const units = [...new Map(named.map((unit) => [keyOf(unit), unit])).values()];
  const productIds = units.map(({ productId }) => productId);
  await sql.query(LOCK, [storeId, productIds]);
  const variantKeys = units.map(({ variantId }) => variantId ?? 0);
  const rows = await sql.query<PriceRow>(READ, [storeId, productIds, variantKeys]);
  return new Map(
    rows.map((row) => [
      keyOf({ productId: row.product_id, variantId: row.variant_key }),
      { row, price: new UnitPrice(Money.ofMinor(row.price, currency)) },
    ]),
  );
}

function outcomeOf(
  line: PriceChangeRequest['lines'][number],
  units: ReadonlyMap<string, PricedUnit>,
): Omit<PriceLineResult, 'line'> {
  const { unit, sku, productId, variantId } = line;
  const found = typeof unit === 'object' ? units.get(keyOf(unit)) : undefined;
  if (!found) {
    const known = unit === 'ambiguous' ? AMBIGUOUS_UNIT : unknownUnit(line);
    const refusal = line.invalid ? invalidLine(line.invalid) : known;
    return { sku: sku ?? '', productId, variantId, before: null, after: null, ...refusal };
  }
  const { row, price } = found;
  const { before, after, refusal } = price.set(line.price, line.expected);
  return {
    sku: row.sku,
    productId: row.product_id,
    variantId: row.variant_key || null,
    before: before.minor,
    after: after.minor,
    ...(refusal ?? { code: null, error: '' }),
  };
}

async function write(sql: TransactionSql, storeId: number, units: readonly PricedUnit[]): Promise<void> {
  // A variant that used its product's price keeps the requested price of its own, even when the product's price changes
  // later.
  const changed = units.filter(({ row, price }) => price.minor !== row.price || (!row.is_own && price.isSet));
  if (changed.length === 0) return;
  await sql.query(WRITE, [
    storeId,
    changed.map(({ row }) => row.product_id),
    changed.map(({ row }) => row.variant_key),
    changed.map(({ price }) => price.minor),
  ]);
}

function keyOf({ productId, variantId }: SkuId): string {
  return `${productId}/${variantId ?? 0}`;
}
