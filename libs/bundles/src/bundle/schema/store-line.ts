import { MAX_ORDERS_PER_HOUR, MAX_TAX_NAME } from '@app/domain';
import { Type, type TSchema } from '@sinclair/typebox';
import * as is from './vocabulary.js';

export const contact = is.object({
  email: is.optional(is.email),
  phone: is.optional(is.text(40)),
  address: is.optional(is.text(500)),
});

// No other field may be accepted here, because it might be a secret under another name, which would be stored
// unencrypted.
const paymentMethod = {
  methodId: is.name(64),
  enabled: is.flag,
  isSandbox: is.optional(is.flag),
};

const credentials = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  rule: 'settings',
  description: 'Stored encrypted, never returned. Null removes the stored credentials. Absent: they stay.',
});

const credentialsOrSet = Type.Unsafe<Record<string, unknown> | 'set' | null>({
  ...credentials,
  type: ['object', 'null', 'string'],
  pattern: '^set$',
  problem: 'must be an object, null or "set"',
  description:
    'Stored encrypted. Answers contain `set` where some are stored. `set` and absent: they stay. Null removes them.',
});

const paymentMethods = <T extends TSchema>(secrets: T) =>
  Type.Object(
    {
      methods: is.optional(
        is.list(is.object({ ...paymentMethod, credentials: is.optional(secrets) }), { differ: ['methodId'] }),
      ),
    },
    { additionalProperties: true, rule: 'settings' },
  );

export const paymentSettings = paymentMethods(credentials);

const notifications = Type.Object(
  { shipment: is.optional(is.flag), cancellation: is.optional(is.flag), refund: is.optional(is.flag) },
  { additionalProperties: true, description: 'False switches off the mail to the customer.' },
);

const ecommerceSettings = Type.Unsafe<Record<string, unknown>>(
  Type.Object({ notifications: is.optional(notifications) }, { additionalProperties: true, rule: 'settings' }),
);

function ordersPerHour(contact: string) {
  const what = `Maximum orders of one ${contact} per hour; further orders are reviewed, null = no limit.`;
  return is.optional(is.orNull(is.integer(1, MAX_ORDERS_PER_HOUR, what)));
}

/** Limits the entries, because each order reads and compares all of them. */
const MAX_BLOCKED = 1_000;

export const fraudSettings = is.object({
  blocked_emails: is.optional(is.list(is.text(254), { maxItems: MAX_BLOCKED })),
  blocked_phones: is.optional(is.list(is.text(40), { maxItems: MAX_BLOCKED })),
  review_amount: is.optional(is.described(is.amount, 'Orders from this amount on are reviewed; minor units.')),
  review_orders_per_email: ordersPerHour('e-mail'),
  review_orders_per_phone: ordersPerHour('phone'),
  review_orders_per_address: ordersPerHour('address'),
});

const taxRate = is.object(
  {
    country: is.described(is.country, 'The country to which the order ships.'),
    category: is.optional(
      is.described(is.slug, 'For the products of this category. Absent: for all others, and for shipping.'),
    ),
    name: is.name(MAX_TAX_NAME),
    rate: is.taxRate,
  },
  { rule: 'taxRate' },
);

export const chargeSettings = is.object(
  {
    prices_include_tax: is.optional(is.described(is.flag, 'Whether prices and shipping include tax. Absent: false.')),
    reverse_charge_from: is.optional(
      is.described(
        is.country,
        'The country from which the store sells. An order has no tax if its destination and its VAT id are of other EU countries.',
      ),
    ),
    rates: is.optional(is.list(taxRate, { maxItems: 500, differ: ['country', 'category'] })),
    shipping: is.optional(
      is.object({
        amount: is.amount,
        free_from: is.optional(
          is.described(
            is.orNull(is.amount),
            'Shipping is free if the lines add up to at least this amount, in minor units. Absent: never.',
          ),
        ),
      }),
    ),
  },
  { description: 'Taxes and shipping of new orders. Empty: none.' },
);

export const storeLine = is.object(
  {
    kind: is.kind('store'),
    id: is.optional(is.rowId),
    subdomain: is.subdomain,
    name: is.name(200),
    custom_domain: is.optional(is.text(253)),
    currency: is.currency,
    time_zone: is.optional(is.described(is.timeZone, 'UTC or an IANA name.')),
    status: is.optional(is.oneOf(['ACTIVE', 'INACTIVE'])),
    logo_url: is.optional(is.text(2_048)),
    primary_color: is.optional(is.text(64, { description: '#rrggbb' })),
    seo_title: is.optional(is.text(500)),
    contact: is.optional(contact),
    theme: is.optional(is.settings),
    payment_settings: is.optional(paymentSettings),
    ecommerce_settings: is.optional(ecommerceSettings),
    fraud_settings: is.optional(fraudSettings),
    charge_settings: is.optional(chargeSettings),
  },
  { description: 'A store and its profile. Key: subdomain.' },
);

/**
 * The fields that the people of a store change. The status is not one of them: an inactive store refuses the key of the
 * request that would activate it again.
 */
export const SETTINGS = is.object({
  ...Type.Omit(storeLine, ['kind', 'id', 'subdomain', 'currency', 'status']).properties,
  payment_settings: is.optional(paymentMethods(credentialsOrSet)),
});

/** The settings of a store whose line omits them. A store has no default name. */
export const STORE_DEFAULTS: Readonly<Record<string, unknown>> = {
  custom_domain: '',
  logo_url: '',
  primary_color: '',
  seo_title: '',
  contact: {},
  theme: {},
  payment_settings: {},
  ecommerce_settings: {},
  fraud_settings: {},
  charge_settings: {},
  time_zone: 'UTC',
};
