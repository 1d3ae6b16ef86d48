import type { StockChangeRequest, StockLine, InvalidLine, StockUnit } from '@app/application';
import type { StockRefusal } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { unitsOfLine } from './units-by-sku.js';

export interface NewBin {
  readonly warehouseId: number;
  readonly code: string;
}

export interface ResolvedLine {
  readonly index: number;
  readonly sku: string;
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly binId: number | null;
  /** The bin that the line names and its warehouse lacks; null for any other line. */
  readonly newBin: NewBin | null;
  readonly warehouse: string;
  readonly bin: string;
  /** Why the line cannot be resolved; null when the product and the bin are known. */
  readonly refusal: StockRefusal | null;
}

const FIND_UNITS = `/* stock.find_units */
  SELECT unit.units, unit.product_id, nullif(unit.variant_key, 0) AS variant_id, unit.sku, warehouse.id AS warehouse_id
  FROM unnest($2::text[], $3::int[], $4::int[], $5::text[]) WITH ORDINALITY
    AS asked (sku, product_id, variant_id, warehouse, line)
  LEFT JOIN warehouses AS warehouse ON warehouse.store_id = $1 AND warehouse.code = asked.warehouse
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS units, min(product_id) AS product_id, min(variant_key) AS variant_key, min(sku) AS sku FROM (
      SELECT * FROM ${unitsOfLine('asked.sku')} AS named
      UNION ALL
      SELECT product.id, coalesce(variant.id, 0), coalesce(variant.sku, product.sku) FROM products AS product
      LEFT JOIN product_variants AS variant
        ON variant.store_id = $1 AND variant.product_id = product.id AND variant.id = asked.variant_id
      WHERE asked.sku IS NULL AND product.store_id = $1 AND product.id = asked.product_id
        AND (asked.variant_id IS NULL OR variant.id IS NOT NULL)
    ) AS found
  ) AS unit
  ORDER BY asked.line`;

const POSSIBLE = `SELECT count(*)::int AS bins, min(id) AS id`;

// A bin that the line does not name in full is the only one that holds the product, or else the only one that exists.
// Two candidates are as ambiguous as many. Each way to name a bin uses another index: a store may have many bins, and a
// product may lie in many.
const FIND_BINS = `/* stock.find_bins_of_lines */
  SELECT coalesce(holding.id, other.id) AS bin_id, greatest(holding.bins, other.bins) AS bins, warehouses.code AS warehouse,
    bins.code AS bin
  FROM unnest($2::int[], $3::int[], $4::int[], $5::boolean[], $6::text[]) WITH ORDINALITY
    AS asked (product_id, variant_key, warehouse_id, any_warehouse, bin, line)
  CROSS JOIN LATERAL (
    ${POSSIBLE} FROM (
      (SELECT bins.id FROM bins
      WHERE asked.bin IS NOT NULL AND bins.store_id = $1 AND bins.warehouse_id = asked.warehouse_id AND bins.code = asked.bin)
      UNION ALL
      (SELECT bins.id FROM bins
      WHERE asked.bin IS NOT NULL AND asked.any_warehouse AND bins.store_id = $1 AND bins.code = asked.bin
        AND EXISTS (
          SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = asked.product_id
            AND stock.variant_key = asked.variant_key AND stock.bin_id = bins.id)
      LIMIT 2)
      UNION ALL
      (SELECT stock.bin_id FROM stock
      WHERE asked.bin IS NULL AND (asked.any_warehouse OR asked.warehouse_id IS NOT NULL) AND stock.store_id = $1
        AND stock.product_id = asked.product_id AND stock.variant_key = asked.variant_key
        AND (asked.any_warehouse OR asked.warehouse_id = (
          SELECT warehouse_id FROM bins WHERE bins.store_id = $1 AND bins.id = stock.bin_id))
      LIMIT 2)
    ) AS two
  ) AS holding
  LEFT JOIN LATERAL (
    ${POSSIBLE} FROM (
      (SELECT bins.id FROM bins
      WHERE asked.any_warehouse AND asked.bin IS NOT NULL AND bins.store_id = $1 AND bins.code = asked.bin LIMIT 2)
      UNION ALL
      (SELECT bins.id FROM bins
      WHERE asked.bin IS NULL AND bins.store_id = $1 AND bins.warehouse_id = asked.warehouse_id LIMIT 2)
      UNION ALL
      (SELECT bins.id FROM bins WHERE asked.any_warehouse AND asked.bin IS NULL AND bins.store_id = $1 LIMIT 2)
    ) AS two
  ) AS other ON holding.bins = 0
  LEFT JOIN bins ON bins.store_id = $1 AND bins.id = coalesce(holding.id, other.id)
  LEFT JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = bins.warehouse_id
  ORDER BY asked.line`;

interface UnitRow {
  readonly units: number;
  readonly product_id: number | null;
  readonly variant_id: number | null;
  readonly sku: string | null;
  readonly warehouse_id: number | null;
}

interface BinRow {
  readonly bin_id: number | null;
  readonly bins: number;
  readonly warehouse: string | null;
  readonly bin: string | null;
}

interface FoundLine {
  readonly asked: StockLine;
  readonly unit: UnitRow;
  readonly found: BinRow | null;
}

/** Finds the product and the bin of each line, in the sequence of the lines. */
export async function resolveLines(
  sql: TransactionSql,
  { storeId, lines }: Pick<StockChangeRequest, 'storeId' | 'lines'>,
): Promise<ResolvedLine[]> {
  const units = await sql.query<UnitRow>(FIND_UNITS, [
    storeId,
    lines.map(({ sku }) => sku),
    lines.map(({ productId }) => productId),
    lines.map(({ variantId }) => variantId),
    lines.map(({ warehouse }) => warehouse),
  ]);
  return (await findBins(sql, storeId, lines, units)).map(toLine);
}

async function findBins(
  sql: TransactionSql,
  storeId: number,
  lines: readonly StockLine[],
  units: readonly UnitRow[],
): Promise<FoundLine[]> {
  const asked = lines.flatMap((line, index) => {
    const unit = units[index];
    return unit?.units === 1 ? [{ line, unit, key: keyOf(line, unit) }] : [];
  });
  // Each is looked up once: a request may name the same bin in every line, and a partial name may match many bins.
  const places = [...new Map(asked.map((each) => [each.key, each])).values()];
  const rows = await sql.query<BinRow>(FIND_BINS, [
    storeId,
    places.map(({ unit }) => unit.product_id),
    places.map(({ unit }) => unit.variant_id ?? 0),
    places.map(({ unit }) => unit.warehouse_id),
    places.map(({ line }) => line.warehouse === null),
    places.map(({ line }) => line.bin),
  ]);
  const byKey = new Map(places.map(({ key }, index) => [key, rows[index]]));
  return lines.flatMap((line, index) => {
    const unit = units[index];
    return unit ? [{ asked: line, unit, found: byKey.get(keyOf(line, unit)) ?? null }] : [];
  });
}

function keyOf({ warehouse, bin }: StockLine, { units, product_id, variant_id }: UnitRow): string {
  return JSON.stringify([units, product_id, variant_id, warehouse, bin]);
}

function toLine({ asked, unit: row, found }: FoundLine, index: number): ResolvedLine {
  const unit = row.units === 1;
  const bin = found?.bins === 1 ? found : null;
  const isNew = found?.bins === 0 && row.warehouse_id !== null && asked.bin !== null;
  return {
    index,
    sku: (unit ? row.sku : asked.sku) ?? '',
    productId: unit ? row.product_id : asked.productId,
    variantId: unit ? row.variant_id : asked.variantId,
    binId: bin ? bin.bin_id : null,
    newBin: isNew ? { warehouseId: row.warehouse_id, code: asked.bin } : null,
    warehouse: (bin ? bin.warehouse : asked.warehouse) ?? '',
    bin: (bin ? bin.bin : asked.bin) ?? '',
    refusal: refusalOf(asked, row, found),
  };
}

function refusalOf(asked: StockLine, { units, warehouse_id }: UnitRow, found: BinRow | null): StockRefusal | null {
  if (units === 0) return unknownUnit(asked);
  if (units > 1) return AMBIGUOUS_UNIT;
  if (found?.bins === 0) return { code: 'unknown_bin', error: unknownBin(asked, warehouse_id) };
  if (found?.bins !== 1) return { code: 'unknown_bin', error: 'Several bins match: send warehouse and bin' };
  return null;
}

export const invalidLine = ({ error }: InvalidLine) => ({ code: 'invalid', error }) as const;

export const AMBIGUOUS_UNIT = {
  code: 'ambiguous_sku',
  error: 'Several products have this SKU: send product_id and variant_id',
} as const;

export function unknownUnit({ sku, productId, variantId }: StockUnit) {
  const product = variantId === null ? `product ${productId}` : `variant ${variantId} of product ${productId}`;
  const unit = sku === null ? product : `product or variant with the SKU ${sku}`;
  return { code: 'unknown_sku', error: `The store has no ${unit}` } as const;
}

function unknownBin({ warehouse, bin }: StockLine, warehouseId: number | null): string {
  if (warehouse !== null && warehouseId === null) return `The store has no warehouse ${warehouse}`;
  const owner = warehouse === null ? 'The store' : `Warehouse ${warehouse}`;
  return bin === null ? `${owner} has no bins` : `${owner} has no bin ${bin}`;
}
