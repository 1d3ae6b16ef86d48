import type { PlacedBefore } from '@app/application';
import {
  DEFAULT_FRAUD_SETTINGS,
  MOST_ORDERS_PER_HOUR,
  type FraudSettings,
  type FraudSignals,
  type OrdersPerHour,
  type OrderBaseline,
} from '@app/domain';
import { emailKey } from '../postgres/search-terms.js';
import { LIMIT_KEYS, readFraudSettings } from './fraud-settings.js';

/** The facts that one query returns. */
export interface StoreFacts {
  readonly settings: FraudSettings;
  readonly ordersByEmail: number;
  readonly ordersByPhone: number;
  readonly ordersByAddress: number;
  /** Present if requested. */
  readonly baseline: OrderBaseline | undefined;
}

interface Row {
  readonly fraud_settings: unknown;
  readonly by_email: number;
  readonly by_phone: number;
  readonly by_address: number;
  readonly orders: number;
  readonly high_total: string | null;
  readonly most_units: string | null;
  readonly most_units_of_line: number | null;
}

/** For a new order: the last hour. For an existing order: the hour before it was placed. */
const IN_THE_HOUR = `created_at > coalesce($6::timestamptz, now()) - interval '1 hour'
      AND created_at <= coalesce($6, 'infinity') AND id IS DISTINCT FROM $7::uuid`;

/** Stops counting at the store's limit, so that a store under attack is not also slow. */
const recent = (contact: keyof OrdersPerHour, condition: string) => `(
  SELECT count(*)::int FROM (
    SELECT FROM orders
    WHERE store_id = $1 AND source = 'WEBSITE' AND ${condition} AND ${IN_THE_HOUR}
    LIMIT ${counted(LIMIT_KEYS[contact], DEFAULT_FRAUD_SETTINGS.ordersPerHour[contact] ?? 0)}
  ) AS counted)`;

function counted(key: string, otherwise: number): string {
  const set = `CASE WHEN jsonb_typeof(fraud_settings -> '${key}') = 'number' THEN (fraud_settings ->> '${key}')::numeric END`;
  return `least(greatest(${set}, ${otherwise}), ${MOST_ORDERS_PER_HOUR})::bigint`;
}

// One round trip. The conditions repeat those of the partial indexes orders_by_email, _phone and _address. The baseline
// covers the newest 200 orders (selected first, to bound the scan), of those only real sales in today's currency. An
// order under review counts only after its release or confirmation: otherwise the first odd order would make the second
// one look normal.
const FIND = `/* fraud.facts */
  SELECT fraud_settings,
    ${recent('email', `customer_email <> '' AND ${emailKey('customer_email')} = ${emailKey('$2::text')} AND lower(customer_email) = lower($2)`)} AS by_email,
    ${recent('phone', `customer_phone <> '' AND comparable_phone(customer_phone) = comparable_phone($3)`)} AS by_phone,
    ${recent(
      'address',
      `shipping_address ->> 'address' <> '' AND comparable_address(shipping_address) = comparable_address($4)`,
    )} AS by_address,
    baseline.*
  FROM stores
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS orders, percentile_disc(0.95) WITHIN GROUP (ORDER BY total_amount) AS high_total,
      max(units) AS most_units, max(units_of_line) AS most_units_of_line
    FROM (
      SELECT store_id, id, total_amount, status, fulfillment_status, currency, is_test FROM orders
      WHERE store_id = $1 AND $5
      ORDER BY created_at DESC, id DESC LIMIT 200
    ) AS newest
    CROSS JOIN LATERAL (
      SELECT sum(quantity) AS units, max(quantity) AS units_of_line FROM order_lines
      WHERE store_id = newest.store_id AND order_id = newest.id
    ) AS lines
    WHERE status NOT IN ('FAILED', 'CANCELLED') AND NOT is_test AND newest.currency = stores.currency
      AND total_amount >= 0 AND lines.units IS NOT NULL
      AND (fulfillment_status NOT IN ('PENDING', 'CANCELLED') OR NOT EXISTS (
        SELECT FROM fraud_assessments
        WHERE store_id = newest.store_id AND order_id = newest.id AND verdict = 'REVIEW')
        OR fulfillment_status = 'PENDING' AND EXISTS (
          SELECT FROM order_stages
          WHERE store_id = newest.store_id AND order_id = newest.id AND stage = 'notify-customer' AND state <> 'held'))
  ) AS baseline
  WHERE stores.id = $1`;

/** Runs one statement with bound values. */
export type RunSql = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

/** @throws Error when the store does not exist. */
export async function findFacts(
  run: RunSql,
  storeId: number,
  { email, phone, address }: FraudSignals,
  withBaseline: boolean,
  placed: PlacedBefore | null = null,
): Promise<StoreFacts> {
  const when = [placed?.at ?? null, placed?.orderId ?? null];
  const { rows } = await run(FIND, [storeId, email.trim(), phone, JSON.stringify(address), withBaseline, ...when]);
  const [row] = rows as Row[];
  if (!row) throw new Error('No such store');
  return {
    settings: readFraudSettings(row.fraud_settings),
    ordersByEmail: row.by_email,
    ordersByPhone: row.by_phone,
    ordersByAddress: row.by_address,
    baseline: withBaseline ? toBaseline(row) : undefined,
  };
}

function toBaseline({ orders, high_total, most_units, most_units_of_line }: Row): OrderBaseline {
  return {
    orders,
    highTotal: Number(high_total),
    mostUnits: Number(most_units),
    mostUnitsOfLine: Number(most_units_of_line),
  };
}
