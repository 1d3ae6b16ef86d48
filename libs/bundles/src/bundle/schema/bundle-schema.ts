import type { ImportKind } from '@app/application';
import { Type, type TObject } from '@sinclair/typebox';
import {
  binLine,
  brandLine,
  categoryLine,
  listPriceLine,
  priceListLine,
  productLine,
  quantityRuleLine,
  stockLine,
  warehouseLine,
} from './catalog-lines.js';
import { storeLine } from './store-line.js';
import { customerLine, orderLine } from './trade-lines.js';

/**
 * The schemas of lines. Each field is declared once: the types, the checks and the published schema derive from it.
 * Each kind comes after those that it refers to, and stock comes last, because placing an order waits for its locks.
 */
export const LINES = {
  store: storeLine,
  warehouse: warehouseLine,
  bin: binLine,
  brand: brandLine,
  category: categoryLine,
  product: productLine,
  price_list: priceListLine,
  list_price: listPriceLine,
  quantity_rule: quantityRuleLine,
  customer: customerLine,
  order: orderLine,
  stock: stockLine,
} as const satisfies Record<string, TObject>;

export const KINDS_IN_ORDER = Object.keys(LINES) as (keyof typeof LINES)[];

// The key of a request determines the store, and which orders are tests. Requests contain no secrets of customers.
const OF_KEY = ['store'] as const;
const OF_KEY_OF_ORDER = ['store', 'is_test'] as const;
const OF_COMMAND = ['store', 'password_hash', 'verification_token', 'national_id'] as const;

/** The lines that the API imports. */
export const IMPORT_LINES = {
  warehouse: Type.Omit(warehouseLine, OF_KEY),
  bin: Type.Omit(binLine, OF_KEY),
  brand: Type.Omit(brandLine, OF_KEY),
  category: Type.Omit(categoryLine, OF_KEY),
  product: Type.Omit(productLine, OF_KEY),
  price_list: Type.Omit(priceListLine, OF_KEY),
  list_price: Type.Omit(listPriceLine, OF_KEY),
  quantity_rule: Type.Omit(quantityRuleLine, OF_KEY),
  customer: Type.Omit(customerLine, OF_COMMAND),
  order: Type.Omit(orderLine, OF_KEY_OF_ORDER),
} as const satisfies Record<ImportKind, TObject>;

/** Keywords that only this importer understands. A field with such a name has an object as its schema. */
const OWN_WORDS = new Set(['differ', 'problem', 'reads', 'rule']);

export function publishedSchema(): object {
  return published({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A line of a store bundle',
    description: 'What a schema cannot say, such as whether a reference is known, `import --dry-run` checks.',
    anyOf: Object.values(LINES),
  });
}

/** Removes the keywords that other validators do not know. */
export function published<Schema extends object>(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      OWN_WORDS.has(key) && (typeof value === 'string' || Array.isArray(value)) ? undefined : value,
    ),
  ) as Schema;
}
