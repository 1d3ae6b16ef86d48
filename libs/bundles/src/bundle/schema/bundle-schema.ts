import type { TObject } from '@sinclair/typebox';
import { binLine, brandLine, categoryLine, productLine, stockLine, warehouseLine } from './catalog-lines.js';
import { storeLine } from './store-line.js';
import { customerLine, orderLine } from './trade-lines.js';

/**
 * The store bundle: NDJSON, one object per line, discriminated by `kind`. A line refers to others by natural key
 * (subdomain, slug, SKU, `WAREHOUSE/BIN`), and its targets precede it. Each field is declared once, here: the types,
 * the checks and the published schema derive from it. Each kind comes after those that it refers to, and stock last:
 * placing an order waits for its locks.
 */
export const LINES = {
  store: storeLine,
  warehouse: warehouseLine,
  bin: binLine,
  brand: brandLine,
  category: categoryLine,
  product: productLine,
  customer: customerLine,
  order: orderLine,
  stock: stockLine,
} as const satisfies Record<string, TObject>;

/** The order in which the lines of a batch are written. */
export const KINDS_IN_ORDER = Object.keys(LINES) as (keyof typeof LINES)[];

/** Keywords that only this importer understands. A field of the same name has an object. */
const OWN_WORDS = new Set(['differ', 'problem', 'reads', 'rule']);

/** The schema of a line for editors and other programs: `docs/store-bundle.schema.json`. */
export function publishedSchema(): object {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A line of a store bundle',
    description: 'What a schema cannot say, such as whether a reference is known, `import --dry-run` checks.',
    anyOf: Object.values(LINES),
  };
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      OWN_WORDS.has(key) && (typeof value === 'string' || Array.isArray(value)) ? undefined : value,
    ),
  ) as object;
}
