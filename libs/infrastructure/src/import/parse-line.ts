import {
  isCurrency,
  isReceiptNumber,
  isUuid,
  ORDER_SOURCES,
  FULFILLMENT_STATUSES,
  PAYMENT_STATUSES,
} from '@app/domain';
import type {
  BinLine,
  BrandLine,
  BundleAddress,
  BundleLine,
  BundleOrderLine,
  BundleVariant,
  CategoryLine,
  GivenCustomerLine,
  GivenLine,
  OrderRecordLine,
  ProductLine,
  StockLine,
  WarehouseLine,
} from './bundle.js';
import { Fault, quoted } from './faults.js';
import {
  flag,
  integer,
  list,
  name,
  object,
  oneOf,
  optional,
  orNull,
  plainObject,
  required,
  text,
  textLike,
  timestamp,
  type Field,
} from './fields.js';
import { storeLine, subdomain } from './parse-store-line.js';

const INT4_MAX = 2_147_483_647;

const kind = <K extends BundleLine['kind']>(own: K) => required(oneOf([own]));
const amount = integer(0, Number.MAX_SAFE_INTEGER);
const slug = name(200);
const sku = name(200);
const code = textLike((given) => /^[^\s/]{1,64}$/.test(given), 'must be 1 to 64 characters without blanks and slashes');
const price = textLike(
  (given) => /^\d{1,18}(\.\d{1,18})?$/.test(given),
  'must be decimal text such as "79.90"',
) satisfies Field<string>;
const uuid: Field<string> = (value, path) => textLike(isUuid, 'must be a UUID')(value, path).toLowerCase();
const receipt = textLike(isReceiptNumber, 'must be 1 to 64 letters, digits and hyphens, and not look like a UUID');
const email = textLike(
  (given) => given === '' || /^[^\s@]+@[^\s@]+$/.test(given),
  'must be an e-mail address without blanks, or empty',
  254,
);
const placeOfBin = textLike((given) => /^[^\s/]{1,64}\/[^\s/]{1,64}$/.test(given), 'must be WAREHOUSE/BIN');
const currency = textLike(isCurrency, 'must be an ISO 4217 code such as "USD"');

const warehouse = object<WarehouseLine>({
  kind: kind('warehouse'),
  store: required(subdomain),
  code: required(code),
  name: required(name(200)),
  active: optional(flag),
});

const bin = object<BinLine>({
  kind: kind('bin'),
  store: required(subdomain),
  warehouse: required(code),
  code: required(code),
});

const brand = object<BrandLine>({
  kind: kind('brand'),
  store: required(subdomain),
  slug: required(slug),
  name: required(name(500)),
  logo: optional(text(2_048)),
  description: optional(text(100_000)),
  active: optional(flag),
});

const category = object<CategoryLine>({
  kind: kind('category'),
  store: required(subdomain),
  slug: required(slug),
  name: required(name(500)),
  image: optional(text(2_048)),
  description: optional(text(100_000)),
  order: optional(integer(-INT4_MAX, INT4_MAX)),
  parent: optional(orNull(slug)),
  active: optional(flag),
});

const attributes: Field<Readonly<Record<string, string>>> = (value, path) => {
  const read = Object.entries(plainObject(value, path)).map(([key, member]) => [
    name(200)(key, path),
    text(1_000)(member, `${path}.${key}`),
  ]);
  return Object.fromEntries(read) as Record<string, string>;
};

const variant = object<BundleVariant>({
  sku: required(sku),
  name: required(name(500)),
  price: required(price),
  attributes: optional(attributes),
  status: optional(oneOf(['ACTIVE', 'INACTIVE', 'DRAFT', 'ARCHIVED'])),
});

const product = object<ProductLine>({
  kind: kind('product'),
  store: required(subdomain),
  slug: required(slug),
  sku: optional(text(200)),
  name: required(name(500)),
  price: required(price),
  status: optional(oneOf(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
  featured: optional(flag),
  description: optional(text(100_000)),
  brand: optional(orNull(slug)),
  categories: optional(list(slug)),
  images: optional(list(object({ url: required(name(2_048)), alt: optional(text(1_000)) }))),
  specifications: optional(list(object({ name: required(name(500)), value: required(text(10_000)) }))),
  variants: optional(differentSkus(list(variant))),
  created_at: optional(timestamp),
});

function differentSkus(read: Field<readonly BundleVariant[]>): Field<readonly BundleVariant[]> {
  return (value, path) => {
    const variants = read(value, path);
    const seen = new Set<string>();
    variants.forEach((each, index) => {
      if (seen.has(each.sku)) throw new Fault(`${path}[${index}].sku`, `${quoted(each.sku)} is there twice`);
      seen.add(each.sku);
    });
    return variants;
  };
}

const stock = object<StockLine>({
  kind: kind('stock'),
  store: required(subdomain),
  bin: required(placeOfBin),
  product: required(slug),
  variant: optional(orNull(sku)),
  quantity: required(integer(0, INT4_MAX)),
});

const customer = object<GivenCustomerLine>({
  kind: kind('customer'),
  store: required(subdomain),
  id: optional(uuid),
  name: required(text(200)),
  email: optional(email),
  phone: optional(text(40)),
  status: optional(name(40)),
  email_verified: optional(flag),
  loyalty_points: optional(integer(0, INT4_MAX)),
  total_spent: optional(amount),
  tags: optional(list(text(200))),
  city: optional(text(200)),
  created_at: optional(timestamp),
  last_login: optional(orNull(timestamp)),
  password_hash: optional(text(1_000)),
  verification_token: optional(text(1_000)),
  national_id: optional(text(200)),
});

const address = object<BundleAddress>({
  address: optional(text(500)),
  city: optional(text(200)),
  zip: optional(text(32)),
});

const orderLineFields = object<BundleOrderLine>({
  product: optional(orNull(slug)),
  variant: optional(orNull(sku)),
  sku: optional(text(200)),
  name: required(name(500)),
  unit_price: required(amount),
  quantity: required(integer(1, INT4_MAX)),
});

const orderLine: Field<BundleOrderLine> = (value, path) => {
  const line = orderLineFields(value, path);
  if (!Number.isSafeInteger(line.unit_price * line.quantity)) {
    throw new Fault(path, 'has a total (unit_price × quantity) that is too large');
  }
  if (line.variant && !line.product) throw new Fault(`${path}.variant`, 'needs a product');
  return line;
};

const orderFields = object<Partial<Pick<OrderRecordLine, 'line_items'>> & Omit<OrderRecordLine, 'line_items'>>({
  kind: kind('order'),
  store: required(subdomain),
  id: optional(uuid),
  receipt_number: required(receipt),
  source: required(oneOf(ORDER_SOURCES)),
  status: required(oneOf(PAYMENT_STATUSES)),
  fulfillment_status: required(oneOf(FULFILLMENT_STATUSES)),
  payment_method: required(name(64)),
  currency: required(currency),
  amount: required(amount),
  total_amount: required(amount),
  customer_name: optional(text(200)),
  customer_email: optional(text(254)),
  customer_phone: optional(text(40)),
  shipping_address: optional(address),
  notes: optional(text(10_000)),
  created_at: required(timestamp),
  line_items: optional(list(orderLine)),
});

const order: Field<OrderRecordLine> = (value, path) => ({ line_items: [], ...orderFields(value, path) });

const KINDS: { readonly [K in BundleLine['kind']]: Field<Extract<GivenLine, { kind: K }>> } = {
  store: storeLine,
  warehouse,
  bin,
  brand,
  category,
  product,
  stock,
  customer,
  order,
};

/**
 * Reads one line of a bundle, with exactly the fields that it gives.
 *
 * @throws Fault naming the first field that is wrong.
 */
export function checkLine(value: unknown): GivenLine {
  const given = plainObject(value, 'the line').kind;
  const read =
    typeof given === 'string' && Object.hasOwn(KINDS, given) ? KINDS[given as BundleLine['kind']] : undefined;
  if (!read) throw new Fault('kind', `must be one of ${Object.keys(KINDS).join(', ')}`);
  return read(value, given as string);
}

/** @throws Fault when the text is not JSON, or not a line of a bundle. */
export function parseLine(line: string): GivenLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    // The parser's own words quote the line, which may hold personal data.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new Fault(
      'the line',
      `is not valid JSON${position === undefined ? '' : ` (character ${Number(position) + 1})`}`,
    );
  }
  return checkLine(value);
}
