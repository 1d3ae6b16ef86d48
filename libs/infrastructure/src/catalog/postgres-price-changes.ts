import {
  PriceChanges,
  type ChangedPrices,
  type PriceChangeRequest,
  type PriceLineResult,
  type SkuId,
} from '@app/application';
import { Money, PricesRefused, toDecimal, UnitPrice, type PriceOutcome, type QuantityRule } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { recordAudit } from '../audit/record-audit.js';
import { BulkLimiter } from '../postgres/bulk-limiter.js';
import { applyOnce, refusalsOf } from '../postgres/line-requests.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Database } from '../postgres/database.js';
import { AMBIGUOUS_UNIT, invalidLine, unknownUnit } from '../stock/resolve-lines.js';
import { lockListed } from './listed-units.js';
import { byKey, keyOf, type PricedUnit, type PricedUnits, type UnitLine } from './priced-units.js';
import { writeRules } from './quantity-rules.js';

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
  const { storeId, list } = request;
  const named = request.lines.flatMap(({ unit }) => (typeof unit === 'object' ? [unit] : []));
  const ids = [...new Map(named.map((unit) => [keyOf(unit), unit])).values()];
  const { units, write } =
    list === null ? await lockUnits(sql, request, ids) : await lockListed(sql, request, list, ids);
  const rules = new Map<PricedUnit, QuantityRule | null>();
  const results = request.lines.map((line, index) => ({ line: index + 1, ...outcomeOf(line, units, rules) }));
  const refusals = refusalsOf(results);
  if (request.isAtomic && refusals.length > 0) throw new PricesRefused(refusals);
  await write();
  for (const unit of units.values()) if (unit.isUnlisted) rules.set(unit, null);
  const ruled = [...rules].map(([{ productId, variantKey }, rule]) => ({
    list: list ?? '',
    productId,
    variantKey,
    rule,
  }));
  await writeRules(sql, storeId, ruled);
  await recordChange(sql, request, results, ruled.length);
  return results;
}

/** The entry of a request shows this many prices. */
const MAX_SHOWN = 20;

async function recordChange(
  sql: TransactionSql,
  { storeId, list, currency, reference, origin }: PriceChangeRequest,
  results: readonly PriceLineResult[],
  rules: number,
): Promise<void> {
  const changed = results.filter(({ code, before, after }) => code === null && before !== after);
  if (changed.length + rules === 0) return;
  const major = (minor: number | null) => (minor === null ? null : toDecimal(minor, currency));
  const shown = changed.slice(0, MAX_SHOWN);
  const pricesOf = (when: 'before' | 'after') =>
    Object.fromEntries(shown.map((line) => [nameOf(line), major(line[when])]));
  await recordAudit(sql, storeId, origin, {
    action: 'prices.changed',
    subject: list === null ? { kind: 'prices', id: '', name: '' } : { kind: 'price_list', id: list, name: '' },
    changes: {
      ...(shown.length > 0 && { prices: [pricesOf('before'), pricesOf('after')] }),
      lines: [null, changed.length],
      ...(rules > 0 && { quantity_rules: [null, rules] }),
      ...(reference !== null && { reference: [null, reference] }),
    },
  });
}

const nameOf = ({ sku, productId, variantId }: PriceLineResult): string =>
  sku || [productId, variantId ?? []].flat().join('-');

async function lockUnits(
  sql: TransactionSql,
  { storeId, currency }: PriceChangeRequest,
  ids: readonly SkuId[],
): Promise<PricedUnits> {
  if (ids.length === 0) return { units: new Map(), write: () => Promise.resolve() };
  const productIds = ids.map(({ productId }) => productId);
  await sql.query(LOCK, [storeId, productIds]);
  const rows = await sql.query<PriceRow>(READ, [storeId, productIds, ids.map(({ variantId }) => variantId ?? 0)]);
  const units = rows.map((row) => new CatalogUnit(row, new UnitPrice(Money.ofMinor(row.price, currency), currency)));
  return { units: byKey(units), write: () => write(sql, storeId, units) };
}

class CatalogUnit implements PricedUnit {
  readonly isUnlisted = false;

  constructor(
    private readonly row: PriceRow,
    private readonly price: UnitPrice,
  ) {}

  get productId(): number {
    return this.row.product_id;
  }

  get variantKey(): number {
    return this.row.variant_key;
  }

  get sku(): string {
    return this.row.sku;
  }

  set({ price, expected }: UnitLine): PriceOutcome {
    return price === undefined ? this.price.asIs : this.price.set(price, expected);
  }

  get minor(): number | null {
    return this.price.minor;
  }

  /** A variant that followed the price of its product gets a price that stays when the price of the product changes. */
  get isChanged(): boolean {
    return this.price.minor !== this.row.price || (!this.row.is_own && this.price.isSet);
  }
}

function outcomeOf(
  line: UnitLine,
  units: ReadonlyMap<string, PricedUnit>,
  rules: Map<PricedUnit, QuantityRule | null>,
): Omit<PriceLineResult, 'line'> {
  const { unit, sku, productId, variantId } = line;
  const found = typeof unit === 'object' ? units.get(keyOf(unit)) : undefined;
  if (!found) {
    const known = unit === 'ambiguous' ? AMBIGUOUS_UNIT : unknownUnit(line);
    const refusal = line.invalid ? invalidLine(line.invalid) : known;
    return { sku: sku ?? '', productId, variantId, before: null, after: null, ...refusal };
  }
  const { before, after, refusal } = found.set(line);
  if (!refusal && line.rule !== undefined) rules.set(found, line.rule);
  return {
    sku: found.sku,
    productId: found.productId,
    variantId: found.variantKey || null,
    before: before?.minor ?? null,
    after: after?.minor ?? null,
    ...(refusal ?? { code: null, error: '' }),
  };
}

async function write(sql: TransactionSql, storeId: number, units: readonly CatalogUnit[]): Promise<void> {
  const changed = units.filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return;
  await sql.query(WRITE, [
    storeId,
    changed.map(({ productId }) => productId),
    changed.map(({ variantKey }) => variantKey),
    changed.map(({ minor }) => minor),
  ]);
}
