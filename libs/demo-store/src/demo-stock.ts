import type { BinLine, StockLine, WarehouseLine } from '@app/bundles';
import type { DemoProduct } from './demo-catalog.js';
import type { SeededRandom } from './seeded-random.js';

const WAREHOUSES = [
  { code: 'MAIN', name: 'Main warehouse', active: true, bins: ['A-1', 'A-2', 'A-3', 'B-1', 'B-2', 'B-3'] },
  { code: 'SHOP', name: 'Harbor Street shop', active: true, bins: ['FLOOR', 'BACK'] },
  { code: 'OLDMILL', name: 'Old mill (closed)', active: false, bins: ['X-1', 'X-2'] },
];

/** Two active warehouses, and a closed one that still holds stock. */
export function demoWarehouses(store: string): WarehouseLine[] {
  return WAREHOUSES.map(({ code, name, active }) => ({ kind: 'warehouse', store, code, name, active }));
}

/** The bins of all warehouses. */
export function demoBins(store: string): BinLine[] {
  return WAREHOUSES.flatMap(({ code: warehouse, bins }) =>
    bins.map((code): BinLine => ({ kind: 'bin', store, warehouse, code })),
  );
}

/** Stock of every product, at product level and per variant, each spread over one to three bins. */
export function demoStock(store: string, products: readonly DemoProduct[], random: SeededRandom): StockLine[] {
  return products.flatMap((product) => stockOf(store, product, random.fork()));
}

function stockOf(store: string, { line }: DemoProduct, random: SeededRandom): StockLine[] {
  const variants = (line.variants ?? []).map(({ sku }) => sku);
  // An order for a product with variants may name no variant; it then draws on product-level bins, which some products
  // have.
  const targets = variants.length === 0 ? [null] : random.chance(20) ? [null, ...variants] : variants;
  const situation = random.integer(1, 100);

  if (situation <= 4) return []; // never stocked
  const soldOut = situation <= 9;
  const bins = placesOf(situation <= 13 && !soldOut ? 'closed' : 'open');
  return targets.flatMap((variant) =>
    random.sample(bins, random.integer(1, 3)).map((bin): StockLine => ({
      kind: 'stock',
      store,
      bin,
      product: line.slug,
      ...(variant === null ? {} : { variant }),
      quantity: soldOut ? 0 : random.integer(0, 24),
    })),
  );
}

function placesOf(state: 'open' | 'closed'): string[] {
  return WAREHOUSES.filter(({ active }) => active === (state === 'open')).flatMap(({ code, bins }) =>
    bins.map((bin) => `${code}/${bin}`),
  );
}
