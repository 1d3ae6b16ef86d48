import type { PlacedBefore } from '@app/application';
import {
  DEFAULT_FRAUD_SETTINGS,
  MAX_ORDERS_PER_HOUR,
  type FraudSettings,
  type OrderContact,
  type OrdersPerHour,
} from '@app/domain';
import { LIMIT_KEYS, readFraudSettings } from './fraud-settings.js';

export interface ContactFacts {
  readonly settings: FraudSettings;
  readonly ordersByEmail: number;
  readonly ordersByPhone: number;
  readonly ordersByAddress: number;
}

interface Row {
  readonly fraud_settings: unknown;
  readonly by_email: number;
  readonly by_phone: number;
  readonly by_address: number;
}

/** SQL that compares a contact of an order. An index has the expression, together with the order's time. */
interface ComparedContact {
  readonly ofOrder: string;
  readonly wanted: string;
  /** Selects website orders with such a contact; it implies the condition of the partial index. */
  readonly isGiven: string;
}

const CONTACTS: Readonly<Record<keyof OrdersPerHour, ComparedContact>> = {
  email: {
    ofOrder: 'email_key',
    wanted: 'email_key($2)',
    // IS TRUE keeps the planner from an index by source: in a table without statistics, it rates that index as good as
    // the one by e-mail, and reads every order of the last hour.
    isGiven: `(source = 'WEBSITE') IS TRUE AND customer_email <> '' AND lower(customer_email) = lower($2)`,
  },
  phone: {
    ofOrder: 'phone_key',
    wanted: 'phone_key($3)',
    isGiven: `source = 'WEBSITE' AND phone_key IS NOT NULL`,
  },
  address: {
    ofOrder: 'address_key',
    wanted: 'comparable_address($4)',
    isGiven: `source = 'WEBSITE' AND address_key IS NOT NULL`,
  },
};

/** An order that is being placed, with the id of its key, or an existing one. */
export type Occasion = { readonly keyId: string | null } | PlacedBefore;

/** A new order is compared with the last hour, an existing one with the hour before it was placed. */
const FIND = find('now()', '$5::uuid', '');
const FIND_BEFORE = find(
  '$5::timestamptz',
  '(SELECT placed_by FROM orders WHERE store_id = $1 AND id = $6)',
  'AND created_at <= $5 AND id <> $6::uuid',
);

// MATERIALIZED hides the values from the planner, which then expects few orders in the last hour. If it knew the hour,
// it would choose an index by time and read every order in that hour. If it knew the contact, it would plan each
// execution, which takes seven times as long as the execution.
function find(until: string, placedBy: string, others: string): string {
  const { email, phone, address } = CONTACTS;
  return `/* fraud.facts */
  WITH wanted AS MATERIALIZED (
    SELECT ${until} - interval '1 hour' AS since,
      ${email.wanted} AS email, ${phone.wanted} AS phone, ${address.wanted} AS address,
      keys.trusted, (${placedBy} = ANY (keys.trusted)) IS TRUE AS is_trusted
    FROM (SELECT ARRAY(SELECT id FROM api_keys WHERE store_id = $1 AND trusted) AS trusted) AS keys
  )
  SELECT fraud_settings,
    ${count('email', others)} AS by_email, ${count('phone', others)} AS by_phone, ${count('address', others)} AS by_address
  FROM stores CROSS JOIN wanted WHERE stores.id = $1`;
}

/**
 * Stops counting at the store's limit, so that an attack does not also make the store slow. Orders of trusted keys are
 * neither counted nor compared.
 */
function count(contact: keyof OrdersPerHour, others: string): string {
  const { ofOrder, isGiven } = CONTACTS[contact];
  return `(
  SELECT count(*)::int FROM (
    SELECT FROM orders
    WHERE store_id = $1 AND ${ofOrder} = wanted.${contact}
      AND created_at > wanted.since
      AND ${isGiven} ${others}
      AND NOT wanted.is_trusted AND (placed_by = ANY (wanted.trusted)) IS NOT TRUE
    LIMIT ${counted(LIMIT_KEYS[contact], DEFAULT_FRAUD_SETTINGS.ordersPerHour[contact] ?? 0)}
  ) AS counted)`;
}

function counted(key: string, otherwise: number): string {
  const set = `CASE WHEN jsonb_typeof(fraud_settings -> '${key}') = 'number' THEN (fraud_settings ->> '${key}')::numeric END`;
  return `least(greatest(${set}, ${otherwise}), ${MAX_ORDERS_PER_HOUR})::bigint`;
}

export type RunSql = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

export async function findFacts(
  run: RunSql,
  storeId: number,
  { email, phone, address }: OrderContact,
  occasion: Occasion,
): Promise<ContactFacts> {
  const contact = [storeId, email.trim(), phone, JSON.stringify(address)];
  const [row] = await ('orderId' in occasion
    ? run<Row>(FIND_BEFORE, [...contact, occasion.at, occasion.orderId])
    : run<Row>(FIND, [...contact, occasion.keyId]));
  if (!row) throw new Error('No such store');
  return {
    settings: readFraudSettings(row.fraud_settings),
    ordersByEmail: row.by_email,
    ordersByPhone: row.by_phone,
    ordersByAddress: row.by_address,
  };
}
