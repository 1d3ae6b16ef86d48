import type { TransactionSql } from '@app/infrastructure';
import type { ImportableLine } from './schema/bundle.js';

/**
 * Limits the stock of a warehouse that a request opens or closes: each of its products is counted again, and a request
 * has only seconds.
 */
const MAX_STOCK_OPENED = 2_000;

const TOO_LARGE = `warehouse.active cannot be changed by a request that affects more than ${MAX_STOCK_OPENED} bins with a product: ask the operator to run \`store-commerce import\``;
const TWICE = 'warehouse.active must be given once in a request';

const FIND_LARGE = `/* import.large_warehouses */
  SELECT code, active FROM warehouses
  WHERE store_id = $1 AND code = ANY ($2) AND (
    SELECT count(*) FROM (
      SELECT FROM bins JOIN stock ON stock.store_id = bins.store_id AND stock.bin_id = bins.id
      WHERE bins.store_id = $1 AND bins.warehouse_id = warehouses.id LIMIT ${MAX_STOCK_OPENED + 1}
    ) AS held
  ) > ${MAX_STOCK_OPENED}`;

interface NumberedLine {
  readonly number: number;
  readonly line: ImportableLine | null;
}

/** Returns, by number, the lines that open or close a large warehouse, or one that an earlier line opens or closes. */
export async function openingsTooLarge(
  sql: TransactionSql,
  storeId: number,
  lines: readonly NumberedLine[],
): Promise<ReadonlyMap<number, string>> {
  const openings = lines.flatMap(({ number, line }) =>
    line?.kind === 'warehouse' && line.active !== undefined ? [{ number, code: line.code, active: line.active }] : [],
  );
  if (openings.length === 0) return new Map();
  const codes = openings.map(({ code }) => code);
  const large = await sql.query<{ code: string; active: boolean }>(FIND_LARGE, [storeId, codes]);
  const refused = new Map<number, string>();
  for (const [index, { number, code, active }] of openings.entries()) {
    if (codes.indexOf(code) < index) refused.set(number, TWICE);
    else if (large.some((warehouse) => warehouse.code === code && warehouse.active !== active)) {
      refused.set(number, TOO_LARGE);
    }
  }
  return refused;
}

/** Variants of the products of a request. A product that comes or goes takes all of them along, also those that its line does not name. */
const MAX_VARIANTS_OF_REQUEST = 6_000;

const TOO_MANY_VARIANTS = `product exceeds the ${MAX_VARIANTS_OF_REQUEST} variants, including stored ones, that the products of one request can have: send the product in another request, or ask the operator to run \`store-commerce import\``;

const COUNT_VARIANTS = `/* import.count_variants */
  SELECT named.slug, (
    SELECT count(*)::int FROM product_variants WHERE store_id = $1 AND product_id = products.id
  ) AS variants
  FROM unnest($2::text[]) AS named (slug)
  JOIN products ON products.store_id = $1 AND lower(products.slug COLLATE "C") = lower(named.slug COLLATE "C")`;

/** The lines of products that have, or bring, more variants than are left for the request, by number. */
export async function variantsTooMany(
  sql: TransactionSql,
  storeId: number,
  lines: readonly NumberedLine[],
): Promise<ReadonlyMap<number, string>> {
  const products = lines.flatMap(({ number, line }) =>
    line?.kind === 'product' ? [{ number, slug: line.slug, given: line.variants?.length ?? 0 }] : [],
  );
  if (products.length === 0) return new Map();
  const rows = await sql.query<{ slug: string; variants: number }>(COUNT_VARIANTS, [
    storeId,
    products.map(({ slug }) => slug),
  ]);
  const stored = new Map(rows.map(({ slug, variants }) => [slug, variants]));
  let left = MAX_VARIANTS_OF_REQUEST;
  const refused = new Map<number, string>();
  for (const { number, slug, given } of products) {
    const variants = Math.max(given, stored.get(slug) ?? 0);
    if (variants > left) refused.set(number, TOO_MANY_VARIANTS);
    else left -= variants;
  }
  return refused;
}
