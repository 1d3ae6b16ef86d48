import type { PricedProduct } from './scene.js';

type Fields = Readonly<Record<string, unknown>>;

export const LONGEST_OF_ADDRESS = {
  ...{ company: 200, vat_id: 64, address: 500, address2: 500, city: 200, zip: 32, region: 200 },
} as const;
const NOTES = 2000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Metadata = Readonly<Record<string, string>> | null;

export interface ValidOrder {
  readonly items: readonly {
    readonly product_id?: number | null;
    readonly variant_id?: number | null;
    readonly sku?: string | null;
    readonly quantity: number;
    readonly metadata?: Metadata;
  }[];
  readonly customer_id?: string | null;
  readonly customer: Fields;
  readonly billing?: Fields | null;
  readonly payment_method?: string | null;
  readonly notes?: string | null;
  readonly metadata?: Metadata;
  readonly external_reference?: string | null;
  readonly expected_total?: number | null;
  readonly currency?: string | null;
}

/** A second implementation of the contract's rules for an order: whether `body` must be accepted. */
export function isValidOrder(body: unknown, catalog: readonly PricedProduct[]): body is ValidOrder {
  if (!isObject(body) || !isObject(body['customer']) || !Array.isArray(body['items'])) return false;
  const { items, customer, payment_method: payment = null, notes } = body as Fields & { items: unknown[] };
  const { external_reference: reference = null, expected_total: total = null, currency = null, billing = null } = body;
  const { customer_id: id = null } = body;
  const { name, email = null, phone } = customer as Fields;
  return (
    items.length >= 1 &&
    items.length <= 100 &&
    items.every((item) => isObject(item) && isAvailable(item, catalog)) &&
    (id === null || (typeof id === 'string' && UUID.test(id))) &&
    isText(name, 200) &&
    name.trim() !== '' &&
    (email === null || email === '' || isEmail(email)) &&
    isOptional(phone, 40) &&
    isAddress(customer as Fields) &&
    (billing === null || (isObject(billing) && isOptional(billing['name'], 200) && isAddress(billing))) &&
    isOptional(notes, NOTES) &&
    [body, ...items].every((each) => isMetadata((each as Fields)['metadata'])) &&
    (reference === null || isReference(reference)) &&
    (currency === null || (typeof currency === 'string' && /^[a-z]{3}$/i.test(currency))) &&
    (total === null || (typeof total === 'number' && total >= 0 && total * 100 < Number.MAX_SAFE_INTEGER)) &&
    (payment === null || (typeof payment === 'string' && /^(?:cod|offline)$/i.test(payment)))
  );
}

/** Whether a valid order must be refused with 422: for its customer, stock, currency (the store's is USD) or total. */
export function cannotBePlaced(order: ValidOrder, catalog: readonly PricedProduct[]): boolean {
  const { items, currency = null, expected_total: total = null } = order;
  return (
    ((order.customer_id ?? null) !== null && !catalog.some(({ listed }) => listed && isFor(listed.customer, order))) ||
    (currency !== null && currency.toUpperCase() !== 'USD') ||
    (total !== null && Math.round(total * 100) !== costOf(order, catalog)) ||
    !items.every((item) => productOf({ ...item }, catalog)?.isInStock)
  );
}

/** The total of the lines at the prices of the catalog, or of the list of the customer, in minor units. */
export function costOf(order: ValidOrder, catalog: readonly PricedProduct[]): number {
  const { items } = order;
  const units = new Map<PricedProduct | undefined, number>();
  const unitOf = (item: ValidOrder['items'][number]) => {
    const product = productOf({ ...item }, catalog);
    return { product, variant: product?.variants.find(({ id }) => id === item.variant_id) };
  };
  for (const item of items) {
    const { product, variant } = unitOf(item);
    if (!variant) units.set(product, (units.get(product) ?? 0) + item.quantity);
  }
  return items.reduce((sum, item) => {
    const { product, variant } = unitOf(item);
    const { listed, price = NaN } = product ?? {};
    if (variant) return sum + variant.price * item.quantity;
    if (!listed || !isFor(listed.customer, order)) return sum + price * item.quantity;
    return sum + ((units.get(product) ?? 0) < 10 ? listed.price : listed.priceOfTen) * item.quantity;
  }, 0);
}

export function isFor(customer: string, { customer_id: id }: ValidOrder): boolean {
  return id?.toLowerCase() === customer;
}

/** Returns the product of an item with an id or a SKU. The SKUs of the catalog differ by more than letter case. */
export function productOf({ product_id, sku }: Fields, catalog: readonly PricedProduct[]): PricedProduct | undefined {
  if (typeof sku !== 'string' || sku === '') return catalog.find(({ id }) => id === product_id);
  return catalog.find((product) => product.sku.toUpperCase() === sku.toUpperCase());
}

function isAvailable(item: Fields, catalog: readonly PricedProduct[]): boolean {
  const { product_id = null, variant_id = null, sku = null, quantity } = item;
  if (sku !== null && (typeof sku !== 'string' || (sku !== '' && (product_id ?? variant_id) !== null))) return false;
  const product = productOf(item, catalog);
  const hasVariant = variant_id === null || product?.variants.some(({ id }) => id === variant_id);
  const units = Number.isInteger(quantity) ? Number(quantity) : 0;
  return product !== undefined && hasVariant === true && units >= 1 && units <= 999;
}

function isEmail(value: unknown): boolean {
  if (!isText(value, 254) || Buffer.byteLength(value) > 254 || value.includes('=?')) return false;
  const [local = '', domain = '', ...others] = value.split('@');
  if (Buffer.byteLength(local) > 64) return false;
  const isAtom = (text: string) => /^[^\s"(),:;<>@[\\\].\p{C}\p{Z}]+$/u.test(text);
  if (others.length > 0 || !local.split('.').every(isAtom)) return false;
  if (!/^(?:[\w.\-\u200c\u200d]|[^\p{ASCII}\p{C}\p{Z}])+$/u.test(domain)) return false;
  const labels = hostOf(domain).split('.');
  const isLabel = (text: string) => /^[a-z0-9-]{1,63}$/.test(text) && !/^-|-$/.test(text);
  return labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? '');
}

/**
 * Returns the host in ASCII; empty when the text is not a host. `URL.canParse` is avoided, because it fails for some
 * letters in Node 20.
 */
function hostOf(domain: string): string {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return '';
  }
}

function isMetadata(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= 50 && entries.every(([key, text]) => key !== '' && isText(key, 40) && isText(text, 500));
}

function isReference(value: unknown): boolean {
  if (!isText(value, 64) || value === '' || /^\s|\s$/.test(value)) return false;
  const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
  return [...value].every((character) => character === ' ' || !unseen.test(character));
}

function isAddress(fields: Fields): boolean {
  return (
    Object.entries(LONGEST_OF_ADDRESS).every(([field, max]) => isOptional(fields[field], max)) &&
    [undefined, null, '', 'de', 'US'].includes(fields['country'] as string)
  );
}

function isOptional(value: unknown, longest: number): boolean {
  return value === undefined || value === null || isText(value, longest);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0') && [...value].length <= longest;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
