import type { StockChangeRequest, StockLine } from '@app/application';
import type { StockRefusal } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';

/** What a line means. */
export interface ResolvedLine {
  /** Of the line in the request, from 0. */
  readonly index: number;
  readonly sku: string;
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly binId: number | null;
  /** Codes. */
  readonly warehouse: string;
  readonly bin: string;
  /** Why the line means nothing; null when the product and the bin are known. */
  readonly refusal: StockRefusal | null;
}

const MATCHES = `(asked.warehouse IS NULL OR warehouses.code = asked.warehouse) AND (asked.bin IS NULL OR bins.code = asked.bin)`;
const WAREHOUSE = `warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id`;
const ONE_OF = `SELECT count(*)::int AS bins, min(id) AS id, min(warehouse) AS warehouse, min(bin) AS bin`;

// A bin that the line does not name in full is the one that holds the product, or else the only one that there is.
const RESOLVE = `/* stock.resolve_lines */
  SELECT unit.units, unit.product_id, nullif(unit.variant_key, 0) AS variant_id, unit.sku,
    coalesce(holding.id, other.id) AS bin_id, greatest(holding.bins, other.bins) AS bins,
    coalesce(holding.warehouse, other.warehouse) AS warehouse, coalesce(holding.bin, other.bin) AS bin
  FROM unnest($2::text[], $3::int[], $4::int[], $5::text[], $6::text[]) WITH ORDINALITY
    AS asked (sku, product_id, variant_id, warehouse, bin, line)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS units, min(product_id) AS product_id, min(variant_key) AS variant_key, min(sku) AS sku FROM (
      SELECT product_id, variant_key, sku FROM sellable_units WHERE store_id = $1 AND upper(sku) = upper(asked.sku)
      UNION ALL
      SELECT product.id, coalesce(variant.id, 0), coalesce(variant.sku, product.sku) FROM products AS product
      LEFT JOIN product_variants AS variant
        ON variant.store_id = $1 AND variant.product_id = product.id AND variant.id = asked.variant_id
      WHERE asked.sku IS NULL AND product.store_id = $1 AND product.id = asked.product_id
        AND (asked.variant_id IS NULL OR variant.id IS NOT NULL)
    ) AS found
  ) AS unit
  CROSS JOIN LATERAL (
    ${ONE_OF} FROM (
      SELECT bins.id, warehouses.code AS warehouse, bins.code AS bin FROM stock
      JOIN bins ON bins.store_id = $1 AND bins.id = stock.bin_id JOIN ${WAREHOUSE}
      WHERE stock.store_id = $1 AND stock.product_id = unit.product_id AND stock.variant_key = unit.variant_key AND ${MATCHES}
      LIMIT 2
    ) AS two
  ) AS holding
  LEFT JOIN LATERAL (
    ${ONE_OF} FROM (
      SELECT bins.id, warehouses.code AS warehouse, bins.code AS bin FROM bins JOIN ${WAREHOUSE}
      WHERE bins.store_id = $1 AND ${MATCHES}
      LIMIT 2
    ) AS two
  ) AS other ON holding.bins = 0
  ORDER BY asked.line`;

const CREATE_BINS = `/* stock.create_bins */
  INSERT INTO bins (store_id, warehouse_id, code)
  SELECT DISTINCT $1::int, warehouses.id, asked.bin
  FROM unnest($2::text[], $3::text[]) AS asked (warehouse, bin)
  JOIN warehouses ON warehouses.store_id = $1 AND warehouses.code = asked.warehouse
  ORDER BY 2, 3
  ON CONFLICT DO NOTHING`;

interface ResolvedRow {
  readonly units: number;
  readonly product_id: number | null;
  readonly variant_id: number | null;
  readonly sku: string | null;
  readonly bin_id: number | null;
  readonly bins: number;
  readonly warehouse: string | null;
  readonly bin: string | null;
}

/** Finds the product and the bin of each line, in the order of the lines. */
export async function resolveLines(
  sql: TransactionSql,
  { storeId, lines, createsBins }: StockChangeRequest,
): Promise<ResolvedLine[]> {
  const rows = await resolve(sql, storeId, lines);
  const missing = lines.filter(({ warehouse, bin }, index) => {
    const row = rows[index];
    return row?.units === 1 && row.bins === 0 && warehouse !== null && bin !== null;
  });
  if (!createsBins || missing.length === 0) return toLines(lines, rows);
  await sql.query(CREATE_BINS, [storeId, missing.map(({ warehouse }) => warehouse), missing.map(({ bin }) => bin)]);
  return toLines(lines, await resolve(sql, storeId, lines));
}

function resolve(sql: TransactionSql, storeId: number, lines: readonly StockLine[]): Promise<ResolvedRow[]> {
  return sql.query<ResolvedRow>(RESOLVE, [
    storeId,
    lines.map(({ sku }) => sku),
    lines.map(({ productId }) => productId),
    lines.map(({ variantId }) => variantId),
    lines.map(({ warehouse }) => warehouse),
    lines.map(({ bin }) => bin),
  ]);
}

function toLines(lines: readonly StockLine[], rows: readonly ResolvedRow[]): ResolvedLine[] {
  return rows.map((row, index) => {
    const asked = lines[index];
    const unit = row.units === 1;
    const bin = unit && row.bins === 1;
    return {
      index,
      sku: (unit ? row.sku : asked?.sku) ?? '',
      productId: (unit ? row.product_id : asked?.productId) ?? null,
      variantId: (unit ? row.variant_id : asked?.variantId) ?? null,
      binId: bin ? row.bin_id : null,
      warehouse: (bin ? row.warehouse : asked?.warehouse) ?? '',
      bin: (bin ? row.bin : asked?.bin) ?? '',
      refusal: refusalOf(row),
    };
  });
}

function refusalOf({ units, bins }: ResolvedRow): StockRefusal | null {
  if (units === 0) return { code: 'unknown_sku', error: 'The store has no such product or variant' };
  if (units > 1)
    return { code: 'ambiguous_sku', error: 'Several products have this SKU: name product_id and variant_id' };
  if (bins === 0) return { code: 'unknown_bin', error: 'The store has no such bin' };
  if (bins > 1) return { code: 'unknown_bin', error: 'Several bins are possible: name warehouse and bin' };
  return null;
}
