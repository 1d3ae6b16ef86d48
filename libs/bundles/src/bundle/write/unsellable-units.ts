import { quoted } from '../check/faults.js';
import type { ProductLine } from '../schema/bundle.js';
import type { Batch, Numbered, Owner } from './batch.js';
import type { StoredProduct, StoredVariant } from './stored-products.js';

type WrittenProduct = Numbered<ProductLine> & {
  readonly id: number;
  /** What was stored before, with the SKUs of now. */
  readonly stored: StoredProduct | undefined;
};

/** Units of a product that are not for sale, and why. */
interface Unsellable {
  readonly problem: string;
  /** Ids of variants; 0 stands for the product itself. */
  readonly variantKeys: readonly number[];
  /** Whether variants without units are named, too. */
  readonly namesAll?: boolean;
}

// Units in bins of closed warehouses were not for sale before.
const UNITS = `/* import.products.units */
  SELECT coalesce(variant.sku, nullif(products.sku, ''), products.slug) AS sku, (
    SELECT coalesce(sum(quantity), 0)::float8 FROM stock
    WHERE store_id = $1 AND product_id = asked.product_id AND variant_key = asked.variant_key
      AND NOT EXISTS (SELECT FROM closed_bins WHERE store_id = $1 AND id = stock.bin_id)
  ) AS units
  FROM unnest($2::int[], $3::int[]) WITH ORDINALITY AS asked (product_id, variant_key, place)
  JOIN products ON products.store_id = $1 AND products.id = asked.product_id
  LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = asked.variant_key
  ORDER BY asked.place`;

const MAX_NAMED = 20;

/** Warns of units that a line makes unsellable, and of listed variants that it leaves so, after the lines are written. */
export async function warnOfUnits(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<void> {
  const found = products.flatMap(({ number, id, line, stored }) => {
    const unsellable = stored ? unsellableOf(line, stored) : [];
    return unsellable.map((each) => ({ ...each, number, id }));
  });
  const asked = found.flatMap(({ id, variantKeys }) => variantKeys.map((variantKey) => ({ id, variantKey })));
  if (asked.length === 0) return;
  const values = [store.id, asked.map(({ id }) => id), asked.map(({ variantKey }) => variantKey)];
  const rows = await batch.sql.query<{ sku: string; units: number }>(UNITS, values);
  let passed = 0;
  for (const { number, problem, variantKeys, namesAll } of found) {
    const own = rows.slice(passed, (passed += variantKeys.length));
    const named = own.filter(({ units }) => namesAll || units > 0);
    if (named.length > 0) batch.warn(number, `${problem} ${listed(named)}`);
  }
}

function unsellableOf(line: ProductLine, stored: StoredProduct): Unsellable[] {
  const { status = stored.status, variants } = line;
  const given = new Map(variants?.map((variant) => [variant.sku, variant.status]));
  const before = (wanted: StoredVariant['status']) => stored.variants.filter((variant) => variant.status === wanted);
  const sold = before('ACTIVE');
  const kept = before('INACTIVE').filter(({ sku }) => given.has(sku) && given.get(sku) === undefined);
  const stays = {
    problem: 'product.variants without a status stay INACTIVE and are not for sale:',
    variantKeys: idsOf(kept),
    namesAll: true,
  };
  if (status !== 'ACTIVE') {
    const problem = `product is now ${status}, so these units are not for sale:`;
    return [{ problem, variantKeys: stored.status === 'ACTIVE' ? [0, ...idsOf(sold)] : [] }, stays];
  }
  if (!variants) return [];
  const inactive = sold.filter(({ sku }) => !['ACTIVE', undefined].includes(given.get(sku)));
  const unsold = new Set(kept.map(({ sku }) => sku));
  const isFirst =
    sold.length === 0 && variants.some(({ sku, status = 'ACTIVE' }) => status === 'ACTIVE' && !unsold.has(sku));
  return [
    {
      problem: 'product now has variants: only orders that name no variant can use the stock of',
      variantKeys: isFirst ? [0] : [],
    },
    {
      problem: 'product.variants omits variants with stock, which become INACTIVE:',
      variantKeys: idsOf(sold.filter(({ sku }) => !given.has(sku))),
    },
    {
      problem: 'product.variants are now INACTIVE, so these units are not for sale:',
      variantKeys: idsOf(inactive),
    },
    stays,
  ];
}

const idsOf = (variants: readonly StoredVariant[]) => variants.map(({ id }) => id);

function listed(units: readonly { readonly sku: string; readonly units: number }[]): string {
  const names = units
    .slice(0, MAX_NAMED)
    .map(({ sku, units: count }) => (count > 0 ? `${quoted(sku)} (units: ${count})` : quoted(sku)));
  const more = units.length > MAX_NAMED ? ` and ${units.length - MAX_NAMED} more` : '';
  return names.join(', ') + more;
}
