import type { Static, TSchema } from '@sinclair/typebox';
import type { LINES } from './bundle-schema.js';
import type { image, specification, variant } from './catalog-lines.js';
import type { paymentSettings } from './store-line.js';
import type { address, orderItem } from './trade-lines.js';

/**
 * The shapes of valid lines. Text read from a file must pass the check before it may carry these types. An absent field
 * means "not given": a new row gets the default, an existing row keeps its value.
 */
type Given<Schema extends TSchema> = ReadOnly<Static<Schema>>;
type ReadOnly<T> = T extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadOnly<T[Key]> }
    : T;

export type StoreLine = Given<typeof LINES.store>;
export type WarehouseLine = Given<typeof LINES.warehouse>;
export type BinLine = Given<typeof LINES.bin>;
export type BrandLine = Given<typeof LINES.brand>;
export type CategoryLine = Given<typeof LINES.category>;
export type ProductLine = Given<typeof LINES.product>;
export type StockLine = Given<typeof LINES.stock>;
export type CustomerLine = Given<typeof LINES.customer>;
/** The name distinguishes it from an order line. */
export type OrderRecordLine = Given<typeof LINES.order>;

/** Settings stored unchanged; their keys belong to the storefront, not to this service. */
export type SettingsObject = Readonly<Record<string, unknown>>;
export type BundlePaymentSettings = Given<typeof paymentSettings> & SettingsObject;
export type BundleImage = Given<typeof image>;
export type BundleSpecification = Given<typeof specification>;
export type BundleVariant = Given<typeof variant>;
export type BundleAddress = Given<typeof address>;
export type BundleOrderLine = Given<typeof orderItem>;

/** Any line of a store bundle. */
export type BundleLine =
  | StoreLine
  | WarehouseLine
  | BinLine
  | BrandLine
  | CategoryLine
  | ProductLine
  | StockLine
  | CustomerLine
  | OrderRecordLine;
