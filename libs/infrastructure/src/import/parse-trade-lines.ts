import { ORDER_SOURCES, FULFILLMENT_STATUSES, PAYMENT_STATUSES } from '@app/domain';
import type { BundleAddress, BundleOrderLine, GivenCustomerLine, OrderRecordLine } from './bundle.js';
import { Fault } from './faults.js';
import {
  type Field,
  flag,
  integer,
  list,
  name,
  object,
  oneOf,
  optional,
  orNull,
  required,
  text,
  timestamp,
} from './fields.js';
import {
  INT4_MAX,
  amount,
  currency,
  email,
  kind,
  receipt,
  signedAmount,
  sku,
  slug,
  uuid,
  subdomain,
} from './vocabulary.js';

export const customerLine = object<GivenCustomerLine>({
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

const lineItemFields = object<BundleOrderLine>({
  product: optional(orNull(slug)),
  variant: optional(orNull(sku)),
  sku: optional(text(200)),
  name: required(name(500)),
  unit_price: required(signedAmount),
  quantity: required(integer(1, INT4_MAX)),
});

const lineItem: Field<BundleOrderLine> = (value, path) => {
  const line = lineItemFields(value, path);
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
  amount: required(signedAmount),
  total_amount: required(signedAmount),
  customer_name: optional(text(200)),
  customer_email: optional(text(254)),
  customer_phone: optional(text(40)),
  shipping_address: optional(address),
  notes: optional(text(10_000)),
  created_at: required(timestamp),
  line_items: optional(list(lineItem)),
});

export const orderLine: Field<OrderRecordLine> = (value, path) => ({ line_items: [], ...orderFields(value, path) });
