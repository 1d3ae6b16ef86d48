import type { PlacedBefore } from '@app/application';
import {
  DEFAULT_FRAUD_SETTINGS,
  MOST_ORDERS_PER_HOUR,
  type FraudSettings,
  type OrderContact,
  type OrdersPerHour,
} from '@app/domain';
import { emailKey } from '../postgres/search-terms.js';
import { LIMIT_KEYS, readFraudSettings } from './fraud-settings.js';

/** What the store knows about a contact. */
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

const LAST_HOUR = `created_at > now() - interval '1 hour'`;
/** The hour before an existing order was placed. */
const HOUR_BEFORE = `created_at > $5::timestamptz - interval '1 hour' AND created_at <= $5 AND id <> $6::uuid`;

// The conditions repeat those of the partial indexes orders_by_email, _phone and _address.
const find = (inTheHour: string) => `/* fraud.facts */
  SELECT fraud_settings,
    ${count('email', `customer_email <> '' AND ${emailKey('customer_email')} = ${emailKey('$2::text')} AND lower(customer_email) = lower($2)`, inTheHour)} AS by_email,
    ${count('phone', `customer_phone <> '' AND comparable_phone(customer_phone) = comparable_phone($3)`, inTheHour)} AS by_phone,
    ${count(
      'address',
      `shipping_address ->> 'address' <> '' AND comparable_address(shipping_address) = comparable_address($4)`,
      inTheHour,
    )} AS by_address
  FROM stores WHERE id = $1`;

const FIND = find(LAST_HOUR);
const FIND_BEFORE = find(HOUR_BEFORE);

/** Stops counting at the store's limit, so that a store under attack is not also slow. */
function count(contact: keyof OrdersPerHour, condition: string, inTheHour: string): string {
  return `(
  SELECT count(*)::int FROM (
    SELECT FROM orders
    WHERE store_id = $1 AND source = 'WEBSITE' AND ${condition} AND ${inTheHour}
    LIMIT ${counted(LIMIT_KEYS[contact], DEFAULT_FRAUD_SETTINGS.ordersPerHour[contact] ?? 0)}
  ) AS counted)`;
}

function counted(key: string, otherwise: number): string {
  const set = `CASE WHEN jsonb_typeof(fraud_settings -> '${key}') = 'number' THEN (fraud_settings ->> '${key}')::numeric END`;
  return `least(greatest(${set}, ${otherwise}), ${MOST_ORDERS_PER_HOUR})::bigint`;
}

/** Runs one of few statements with bound values. */
export type RunSql = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/**
 * @param placed null for a new order.
 * @throws Error when the store does not exist.
 */
export async function findFacts(
  run: RunSql,
  storeId: number,
  { email, phone, address }: OrderContact,
  placed: PlacedBefore | null,
): Promise<ContactFacts> {
  const contact = [storeId, email.trim(), phone, JSON.stringify(address)];
  const [row] = await (placed
    ? run<Row>(FIND_BEFORE, [...contact, placed.at, placed.orderId])
    : run<Row>(FIND, contact));
  if (!row) throw new Error('No such store');
  return {
    settings: readFraudSettings(row.fraud_settings),
    ordersByEmail: row.by_email,
    ordersByPhone: row.by_phone,
    ordersByAddress: row.by_address,
  };
}
