import { MOST_ORDERS_PER_HOUR } from '@app/domain';
import type {
  BundleContact,
  BundleFraudSettings,
  BundlePaymentMethod,
  BundlePaymentSettings,
  StoreLine,
} from './bundle.js';
import { Fault } from './faults.js';
import {
  flag,
  integer,
  list,
  name,
  object,
  oneOf,
  optional,
  orNull,
  required,
  settings,
  text,
  type Field,
} from './fields.js';
import { currency, kind, subdomain } from './vocabulary.js';

const contact = object<BundleContact>({
  email: optional(text(254)),
  phone: optional(text(40)),
  address: optional(text(500)),
});

// No other field may come in here: it might be a secret under a name of its own, and would be stored in the open.
const paymentMethod = object<BundlePaymentMethod>({
  methodId: required(name(64)),
  enabled: required(flag),
  isSandbox: optional(flag),
  credentials: optional(orNull(settings)),
});

const paymentMethods: Field<readonly BundlePaymentMethod[]> = (value, path) => {
  const methods = list(paymentMethod)(value, path);
  const ids = new Set(methods.map(({ methodId }) => methodId));
  if (ids.size < methods.length) throw new Fault(path, 'must not name a methodId twice');
  return methods;
};

const paymentSettings: Field<BundlePaymentSettings> = (value, path) => {
  const given = settings(value, path);
  return given.methods === undefined ? given : { ...given, methods: paymentMethods(given.methods, `${path}.methods`) };
};

const ordersPerHour = optional(orNull(integer(1, MOST_ORDERS_PER_HOUR)));

const fraudSettings = object<BundleFraudSettings>({
  blocked_emails: optional(list(text(254))),
  blocked_phones: optional(list(text(40))),
  review_amount: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  review_orders_per_email: ordersPerHour,
  review_orders_per_phone: ordersPerHour,
  review_orders_per_address: ordersPerHour,
});

export const storeLine = object<StoreLine>({
  kind: kind('store'),
  subdomain: required(subdomain),
  name: required(name(200)),
  custom_domain: optional(text(253)),
  currency: required(currency),
  status: optional(oneOf(['ACTIVE', 'INACTIVE'])),
  logo_url: optional(text(2_048)),
  primary_color: optional(text(64)),
  seo_title: optional(text(500)),
  contact: optional(contact),
  theme: optional(settings),
  payment_settings: optional(paymentSettings),
  ecommerce_settings: optional(settings),
  fraud_settings: optional(fraudSettings),
});
