import type { EntityManager } from 'typeorm';
import type { Numbered, Owner } from '../bundle/write/batch.js';
import { checkLine } from '../bundle/check/check-line.js';

const IN_THE_BIN = `/* catalog.left_behind */
  SELECT product.slug, variant.sku
  FROM warehouses
  JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id AND bins.code = $3
  JOIN products AS product ON product.store_id = $1 AND product.slug = ANY($4)
  JOIN stock ON stock.store_id = $1 AND stock.product_id = product.id AND stock.bin_id = bins.id
  LEFT JOIN product_variants AS variant
    ON variant.store_id = $1 AND variant.product_id = product.id AND variant.id = stock.variant_id
  WHERE warehouses.store_id = $1 AND warehouses.code = $2 AND stock.quantity > 0
  ORDER BY product.slug, variant.sku`;

/**
 * Finds stock in the bin that no customer can buy after the lines are written, and that would still count in the
 * product's quantity: the stock of retired variants, and the product's own stock once its variants have stock.
 *
 * @param lines of products. @returns lines that set this stock to 0, by the product's slug.
 */
export async function leftBehind(
  manager: EntityManager,
  store: Owner,
  bin: string,
  lines: readonly Numbered[],
): Promise<Map<string, Numbered[]>> {
  const counted = new Set(lines.flatMap(({ line }) => (line.kind === 'stock' ? [line.product] : [])));
  const sold = new Map<string, { number: number; skus: ReadonlySet<string | null> }>();
  for (const { number, line } of lines) {
    if (line.kind !== 'product') continue;
    const { slug, variants = [] } = line;
    const active = variants.filter(({ status }) => status === 'ACTIVE').map(({ sku }) => sku);
    const itself = variants.length === 0 || !counted.has(slug);
    sold.set(slug, { number, skus: new Set([...active, ...(itself ? [null] : [])]) });
  }
  const [warehouse, code] = bin.split('/');
  const values = [store.id, warehouse, code, [...sold.keys()]];
  const emptied = new Map<string, Numbered[]>();
  for (const { slug, sku } of await manager.query<{ slug: string; sku: string | null }[]>(IN_THE_BIN, values)) {
    const product = sold.get(slug);
    if (!product || product.skus.has(sku)) continue;
    const line = checkLine({
      ...{ kind: 'stock', store: store.subdomain, bin, product: slug, quantity: 0 },
      ...(sku !== null && { variant: sku }),
    });
    emptied.set(slug, [...(emptied.get(slug) ?? []), { number: product.number, line }]);
  }
  return emptied;
}
