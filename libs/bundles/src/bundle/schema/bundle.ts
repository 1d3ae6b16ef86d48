import type { Static, TSchema } from '@sinclair/typebox';
import type { IMPORT_LINES, LINES } from './bundle-schema.js';
import type { variant } from './catalog-lines.js';
import type { paymentSettings, SETTINGS } from './store-line.js';
import type { orderItem } from './trade-lines.js';

/** An absent field means that no value is given: a new row gets the default, an existing row keeps its value. */
type Given<Schema extends TSchema> = ReadOnly<Static<Schema>>;
type ReadOnly<T> = T extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadOnly<T[Key]> }
    : T;

export type BundleKind = keyof typeof LINES;
export type LineOf<Kind extends BundleKind> = { [Each in Kind]: Given<(typeof LINES)[Each]> }[Kind];
export type BundleLine = LineOf<BundleKind>;

export type ImportableLine = {
  [Kind in keyof typeof IMPORT_LINES]: Given<(typeof IMPORT_LINES)[Kind]>;
}[keyof typeof IMPORT_LINES];

export type StoreLine = LineOf<'store'>;
export type WarehouseLine = LineOf<'warehouse'>;
export type ProductLine = LineOf<'product'>;
export type PriceListLine = LineOf<'price_list'>;
export type StockLine = LineOf<'stock'>;
export type CustomerLine = LineOf<'customer'>;
/** The name distinguishes this type from an order line. */
export type OrderRecordLine = LineOf<'order'>;

/** Settings that a request changes. */
export type SettingsFields = Partial<Given<typeof SETTINGS>>;

export type BundlePaymentSettings = Given<typeof paymentSettings> & Readonly<Record<string, unknown>>;
export type BundleVariant = Given<typeof variant>;
export type BundleOrderEvent = NonNullable<OrderRecordLine['history']>[number];
export type BundleOrderStage = NonNullable<OrderRecordLine['pipeline']>[number];
export type BundleOrderLine = Given<typeof orderItem>;

/** Whether a line is a point-of-sale order whose units leave the bins. */
export function takesStock(line: BundleLine): line is OrderRecordLine {
  return line.kind === 'order' && line.takes_stock === true;
}
