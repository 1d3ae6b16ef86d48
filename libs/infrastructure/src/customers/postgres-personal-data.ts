import { ERASED_NAME, PersonalData, type Erasure, type PersonsOrder } from '@app/application';
import { isBlockedPhone } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MaintenanceConnection } from '../postgres/maintenance-connection.js';

// The e-mail compares as in the unique index of customers: lower() of PostgreSQL, whose letters differ from JavaScript's.
const FIND_CUSTOMER = `/* people.customer */
  SELECT id, phone FROM customers WHERE store_id = $1 AND lower(email) = lower($2) AND email <> ''
  FOR NO KEY UPDATE`;

const THEIRS = `(lower(customer_email) = lower($2) OR customer_id = $3)`;

// Before the orders: every writer locks idempotency keys first. A key is a text of the client, and the hash is one of
// personal data.
const FORGET_KEYS = `/* people.idempotency_keys */
  DELETE FROM idempotency_keys
  WHERE store_id = $1 AND order_id IN (SELECT id FROM orders WHERE store_id = $1 AND ${THEIRS})`;

const LOCK_ORDERS = `/* people.orders */
  SELECT id, receipt_number AS "receiptNumber", status, fulfillment_status AS "fulfillmentStatus",
    customer_phone AS phone
  FROM orders WHERE store_id = $1 AND ${THEIRS}
  ORDER BY id FOR NO KEY UPDATE`;

const ERASE_ORDERS = `/* people.erase_orders */
  UPDATE orders
  SET customer_name = $3, customer_email = '', customer_phone = '', shipping_address = '{}', billing_address = '{}',
    notes = '', updated_at = now()
  WHERE store_id = $1 AND id = ANY ($2)`;

// A status is a word of the store, which tallies count by.
const ERASE_CUSTOMER = `/* people.erase_customer */
  UPDATE customers
  SET name = $3, email = '', phone = '', city = '', tags = '{}', email_verified = false, last_login = NULL,
    updated_at = now()
  WHERE store_id = $1 AND id = $2`;

const DELETE_SECRETS = `/* people.secrets */ DELETE FROM customer_secrets WHERE store_id = $1 AND customer_id = $2`;

const LOCK_BLOCK_LISTS = `/* people.block_lists */
  SELECT coalesce(fraud_settings -> 'blocked_phones', '[]') AS phones,
    ARRAY(SELECT entry FROM jsonb_array_elements_text(
      CASE jsonb_typeof(fraud_settings -> 'blocked_emails') WHEN 'array' THEN fraud_settings -> 'blocked_emails' END
    ) AS blocked (entry) WHERE lower(btrim(entry)) = lower($2)) AS emails
  FROM stores WHERE id = $1 FOR NO KEY UPDATE`;

// jsonb - text[] removes these strings from an array.
const UNBLOCK = `/* people.unblock */
  UPDATE stores
  SET fraud_settings = fraud_settings
    || CASE WHEN cardinality($2::text[]) > 0
      THEN jsonb_build_object('blocked_emails', (fraud_settings -> 'blocked_emails') - $2::text[]) ELSE '{}' END
    || CASE WHEN cardinality($3::text[]) > 0
      THEN jsonb_build_object('blocked_phones', (fraud_settings -> 'blocked_phones') - $3::text[]) ELSE '{}' END,
    updated_at = now()
  WHERE id = $1`;

interface OrderRow extends PersonsOrder {
  readonly id: string;
  readonly phone: string;
}

/** Has no time limit: a person may have many orders, and not every order is in an index by e-mail. */
@Injectable()
export class PostgresPersonalData extends PersonalData {
  constructor(private readonly connection: MaintenanceConnection) {
    super();
  }

  override erase(storeId: number, email: string, check: (orders: readonly PersonsOrder[]) => void): Promise<Erasure> {
    return this.connection.transaction(async (manager) => {
      const [customer] = await manager.query<{ id: string; phone: string }[]>(FIND_CUSTOMER, [storeId, email]);
      const person = [storeId, email, customer?.id ?? null];
      await manager.query(FORGET_KEYS, person);
      const orders = await manager.query<OrderRow[]>(LOCK_ORDERS, person);
      check(orders);
      const ids = orders.map(({ id }) => id);
      if (ids.length > 0) await manager.query(ERASE_ORDERS, [storeId, ids, ERASED_NAME]);
      if (customer) {
        await manager.query(ERASE_CUSTOMER, [storeId, customer.id, ERASED_NAME]);
        await manager.query(DELETE_SECRETS, [storeId, customer.id]);
      }
      const phones = [customer?.phone ?? '', ...orders.map(({ phone }) => phone)];
      const blockedContacts = await unblock(manager, storeId, email, phones);
      return { customers: customer ? 1 : 0, orders: orders.length, blockedContacts };
    });
  }
}

/** @returns the number of removed entries. */
async function unblock(
  manager: EntityManager,
  storeId: number,
  email: string,
  phones: readonly string[],
): Promise<number> {
  const [lists] = await manager.query<{ emails: string[]; phones: unknown }[]>(LOCK_BLOCK_LISTS, [storeId, email]);
  const blocked = Array.isArray(lists?.phones) ? (lists.phones as unknown[]) : [];
  const theirs = blocked.filter((entry): entry is string => typeof entry === 'string' && isBlockedPhone(entry, phones));
  const emails = lists?.emails ?? [];
  if (emails.length + theirs.length > 0) await manager.query(UNBLOCK, [storeId, emails, theirs]);
  return emails.length + theirs.length;
}
