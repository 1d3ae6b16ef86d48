import type { TObject } from '@sinclair/typebox';
import { binLine, brandLine, categoryLine, productLine, stockLine, warehouseLine } from './catalog-lines.js';
import { storeLine } from './store-line.js';
import { customerLine, orderLine } from './trade-lines.js';

/**
 * Each field is declared once: the types, the checks and the published schema derive from it. Each kind comes after
 * those that it refers to, and stock last: placing an order waits for its locks.
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

export const KINDS_IN_ORDER = Object.keys(LINES) as (keyof typeof LINES)[];

/** Keywords that only this importer understands. A field of the same name has an object. */
const OWN_WORDS = new Set(['differ', 'problem', 'reads', 'rule']);

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
