import { setImmediate } from 'node:timers/promises';
import {
  ERASED_NAME,
  PersonalData,
  type AuditEvent,
  type ChangeOrigin,
  type Erasure,
  type ErasureLimits,
  type PersonalDataReader,
  type PersonsOrder,
} from '@app/application';
import { isBlockedEmail, isBlockedPhone, TooManyRows } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { allNew, recordAudit } from '../audit/record-audit.js';
import { BulkLimiter } from '../postgres/bulk-limiter.js';
import { DirectDatabase } from '../postgres/connection.js';
import { Database } from '../postgres/database.js';
import type { Sql } from '../postgres/sql.js';
import { hasEmail } from '../lists/customer-email.js';
import { isOrderOf } from '../orders/person.js';
import { CUSTOMER_COLUMNS, ORDER_COLUMNS, orderRecord, type OrderColumns } from './personal-records.js';

const CUSTOMER = `customers WHERE store_id = $1 AND ${hasEmail('customers', '$2')}`;

const CUSTOMERS_WITH_CONTACT = 'SELECT customer_id FROM customer_contacts WHERE store_id = $1 AND email = lower($2)';

// Customers are locked after the orders, because a payment locks its order before the customer.
const LOCK_CUSTOMERS = `/* people.customers */
  SELECT id, email, phone, ${hasEmail('customers', '$2')} AS "isPerson", ARRAY(
    SELECT contact FROM jsonb_array_elements(contacts) AS contact
    WHERE ${hasEmail('customers', '$2')} OR lower(contact ->> 'email') = lower($2)) AS contacts
  FROM customers
  WHERE store_id = $1 AND id = ANY (ARRAY(
    SELECT id FROM ${CUSTOMER} UNION ALL ${CUSTOMERS_WITH_CONTACT}))
  ORDER BY id FOR NO KEY UPDATE`;

const FIND_CUSTOMER = `/* people.find_customer */ SELECT id FROM ${CUSTOMER}`;

// Each statement is planned for the given id: if a subquery found the id, the plan would read the whole store.
const IS_ORDER_OF_CUSTOMER = isOrderOf('orders', '$2', '$3::uuid');

// The keys are locked before the orders, because every writer locks idempotency keys first. The rows stay, or a
// repeated request would place a second order; idempotency-keys.ts finds them. The key may contain personal data, and
// the hash of the request can identify a person. Only its version and one more byte stay: these fit any person, and
// still distinguish most other requests. A change stores the whole order; its replay then shows the erased one.
const ERASE_KEYS = `/* people.idempotency_keys */
  /* @protects erased-keys */
  UPDATE idempotency_keys
  SET key = chr(1) || encode(sha256(convert_to(key, 'UTF8')), 'hex'), request_hash = substring(request_hash FROM 1 FOR 2),
    record = CASE WHEN kind <> 'change' THEN record END
  WHERE store_id = $1 AND key NOT LIKE chr(1) || '%'
    AND order_id IN (SELECT id FROM orders WHERE store_id = $1 AND ${IS_ORDER_OF_CUSTOMER})`;

const LOCK_ORDERS = `/* people.orders */
  SELECT id, receipt_number AS "receiptNumber", status, fulfillment_status AS "fulfillmentStatus",
    cancellation_fee AS "cancellationFee", balance, customer_email AS email, customer_phone AS phone
  FROM orders WHERE store_id = $1 AND ${IS_ORDER_OF_CUSTOMER}
  ORDER BY id FOR NO KEY UPDATE`;

const ERASE_ORDERS = `/* people.erase_orders */
  UPDATE orders
  SET customer_name = $3, customer_email = '', customer_phone = '', shipping_address = '{}', billing_address = '{}',
    notes = '', metadata = '{}'
  WHERE store_id = $1 AND id = ANY ($2)`;

const ERASE_LINES = `/* people.erase_lines */
  UPDATE order_lines SET metadata = '{}' WHERE store_id = $1 AND order_id = ANY ($2) AND metadata <> '{}'`;

// The hash covers the tracking number, which could be found by trial. Its first three characters stay, a version and
// ten bits: these fit any number, and still distinguish most other requests. The hashes of refunds cover nothing
// personal, and stay.
const ERASE_SHIPMENTS = `/* people.erase_shipments */
  UPDATE shipments SET tracking_number = '', tracking_url = '', request_hash = left(request_hash, 3)
  WHERE store_id = $1 AND order_id = ANY ($2)`;

// This hash covers metadata, so it is cut like those of shipments. The hash of a payment without metadata covers
// nothing personal.
const ERASE_PAYMENTS = `/* people.erase_payments */
  UPDATE payments SET metadata = '{}', request_hash = left(request_hash, 3)
  WHERE store_id = $1 AND order_id = ANY ($2) AND metadata <> '{}'`;

const ERASE_REASONS = `/* people.erase_reasons */
  UPDATE order_events SET details = details - '{reason,metadata}'::text[]
  WHERE store_id = $1 AND order_id = ANY ($2) AND details ?| '{reason,metadata}'`;

// The status stays: it is a word that the store chose, and tallies count by it.
const ERASE_CUSTOMER = `/* people.erase_customer */
  UPDATE customers
  SET name = $3, email = '', phone = '', city = '', tags = '{}', metadata = '{}', email_verified = false, last_login = NULL,
    company = '', vat_id = '', groups = '{}', price_list = NULL, addresses = '[]', contacts = '[]'
  WHERE store_id = $1 AND id = $2`;

const ERASE_CONTACTS = `/* people.erase_contacts */
  UPDATE customers
  SET contacts = (
    SELECT coalesce(jsonb_agg(contact ORDER BY place), '[]')
    FROM jsonb_array_elements(contacts) WITH ORDINALITY AS each (contact, place)
    WHERE lower(contact ->> 'email') IS DISTINCT FROM lower($3))
  WHERE store_id = $1 AND id = ANY ($2)`;

const DELETE_SECRETS = `/* people.secrets */ DELETE FROM customer_secrets WHERE store_id = $1 AND customer_id = $2`;

const BLOCK_LISTS = `/* people.block_lists */
  SELECT now() AS "takenAt", fraud_settings -> 'blocked_emails' AS emails, fraud_settings -> 'blocked_phones' AS phones
  FROM stores WHERE id = $1`;
const LOCK_BLOCK_LISTS = `${BLOCK_LISTS} FOR NO KEY UPDATE`;

// The operator jsonb - text[] removes these strings from an array.
const UNBLOCK = `/* people.unblock */
  UPDATE stores
  SET fraud_settings = fraud_settings
    || CASE WHEN cardinality($2::text[]) > 0
      THEN jsonb_build_object('blocked_emails', (fraud_settings -> 'blocked_emails') - $2::text[]) ELSE '{}' END
    || CASE WHEN cardinality($3::text[]) > 0
      THEN jsonb_build_object('blocked_phones', (fraud_settings -> 'blocked_phones') - $3::text[]) ELSE '{}' END
  WHERE id = $1`;

const COLLECT_CUSTOMER = `/* people.collect_customer */
  SELECT ${CUSTOMER_COLUMNS} FROM customers AS item WHERE item.store_id = $1 AND ${hasEmail('item', '$2')}`;

const COLLECT_CONTACTS = `/* people.collect_contacts */
  SELECT item.id AS customer_id, item.company, contact.fields
  FROM customers AS item CROSS JOIN LATERAL jsonb_array_elements(item.contacts) AS contact (fields)
  WHERE item.store_id = $1 AND item.id = ANY (ARRAY(${CUSTOMERS_WITH_CONTACT}))
    AND lower(contact.fields ->> 'email') = lower($2)
  ORDER BY item.id`;

const FIND_COMPANIES = `/* people.find_companies */ ${CUSTOMERS_WITH_CONTACT} LIMIT $3`;

// The limit applies before the sort, so that not all orders of a walk-in customer are read.
const FIND_ORDERS = `/* people.find_orders */
  SELECT id FROM (SELECT id FROM orders WHERE store_id = $1 AND ${IS_ORDER_OF_CUSTOMER} LIMIT $4) AS theirs
  ORDER BY id`;

// A cursor reads one order at a time: each may have some MB, and the process serves other requests in between.
const COLLECT_ORDERS = `/* people.collect_orders */
  DECLARE orders_of_person NO SCROLL CURSOR FOR
  SELECT ${ORDER_COLUMNS} FROM orders AS item WHERE item.store_id = $1 AND item.id = ANY ($2) ORDER BY item.id`;

const NEXT_ORDER = '/* people.next_order */ FETCH orders_of_person';

// The limits inside keep each scan on the index of one order: without them, the plan may read the whole store.
// Idempotency keys have no such index, and are read last. A shipment counts as ten other records, because the search
// text of its order is rebuilt.
const recordsOf = (table: string) => `(SELECT FROM ${table} WHERE store_id = $1 AND order_id = theirs.id LIMIT $3)`;
const COUNT_RECORDS = `/* people.count_records */
  SELECT count(*)::int AS count FROM (
    (SELECT FROM unnest($2::uuid[]) AS theirs (id) CROSS JOIN LATERAL (
      ${['order_events', 'order_lines', 'payments', 'shipments CROSS JOIN generate_series(1, 10)'].map(recordsOf).join(' UNION ALL ')}) AS records LIMIT $3)
    UNION ALL
    (SELECT FROM idempotency_keys WHERE store_id = $1 AND order_id = ANY ($2) LIMIT $3)
    LIMIT $3) AS records`;

const COLLECT_SECRETS = `/* people.collect_secrets */
  SELECT array_remove(ARRAY[
    CASE WHEN password_hash IS NOT NULL THEN 'password_hash' END,
    CASE WHEN verification_token IS NOT NULL THEN 'verification_token' END,
    CASE WHEN national_id IS NOT NULL THEN 'national_id' END], NULL) AS names
  FROM customer_secrets WHERE store_id = $1 AND customer_id = $2`;

const MEMBER = `/* people.member */
  SELECT id, email, name, role, created_at, last_sign_in_at FROM people WHERE store_id = $1 AND email = lower($2)`;

interface Contact {
  readonly email: string;
  readonly phone: string;
}

interface BlockLists {
  readonly takenAt: Date;
  readonly emails: unknown;
  readonly phones: unknown;
}

interface CustomerRow extends Contact {
  readonly id: string;
  /** Whether the customer is the person, and not a company that has the person as a contact. */
  readonly isPerson: boolean;
  /** The contacts that the erasure removes. */
  readonly contacts: readonly Partial<Contact>[];
}

interface ContactRow {
  readonly customer_id: string;
  readonly company: string;
  readonly fields: object;
}

interface OrderRow extends PersonsOrder, Contact {
  readonly id: string;
}

/** Has no time limit: a person may have many orders, and the index by e-mail does not cover all of them. */
@Injectable()
export class PostgresPersonalData extends PersonalData {
  constructor(
    private readonly database: Database,
    private readonly direct: DirectDatabase,
    private readonly bulkLimiter: BulkLimiter,
  ) {
    super();
  }

  override collect<T>(
    storeId: number,
    email: string,
    most: number | null,
    origin: ChangeOrigin,
    read: PersonalDataReader<T>,
  ): Promise<T> {
    const inSnapshot = async (sql: Sql): Promise<T> => {
      const [customer] = await sql.query<{ id: string }>(COLLECT_CUSTOMER, [storeId, email]);
      const person = [storeId, email, customer?.id ?? null];
      const orders = await sql.query<{ id: string }>(FIND_ORDERS, [...person, most === null ? null : most + 1]);
      if (most !== null && orders.length > most) throw new TooManyRows('orders of a person', most, 'customers export');
      const contacts = await sql.query<ContactRow>(COLLECT_CONTACTS, [storeId, email]);
      const [secrets] = await sql.query<{ names: string[] }>(COLLECT_SECRETS, [storeId, customer?.id ?? null]);
      const [lists] = await sql.query<BlockLists>(BLOCK_LISTS, [storeId]);
      const [member] = await sql.query<object>(MEMBER, [storeId, email]);
      const found = {
        takenAt: lists?.takenAt ?? new Date(),
        customer: customer ?? null,
        contacts: contacts.map(({ fields, ...company }) => ({ ...company, ...fields })),
        secrets: secrets?.names ?? [],
        blocked: entriesOf(lists?.emails, (entry) => isBlockedEmail(entry, [email])).length > 0,
        member: member ? { ...member } : null,
        orderCount: orders.length,
      };
      const ids = orders.map(({ id }) => id);
      // The snapshot cannot write. The entry comes before the data, so that no export is without it.
      if (customer || member || contacts.length + ids.length > 0) {
        await this.database.transaction(storeId, (writer) =>
          recordAudit(writer, storeId, origin, {
            action: 'customer.exported',
            subject: subjectOf(customer),
            changes: { orders: [null, ids.length] },
          }),
        );
      }
      return read(found, collectOrders(sql, storeId, ids));
    };
    return this.bulkLimiter.run(storeId, () => this.direct.run((connection) => connection.snapshot(inSnapshot)));
  }

  override erase(
    storeId: number,
    email: string,
    most: ErasureLimits | null,
    origin: ChangeOrigin,
    check: (orders: readonly PersonsOrder[]) => void,
  ): Promise<Erasure> {
    const inTransaction = async (sql: Sql): Promise<Erasure> => {
      const [known] = await sql.query<{ id: string }>(FIND_CUSTOMER, [storeId, email]);
      const person = [storeId, email, known?.id ?? null];
      if (most !== null) await assertFew(sql, person, most);
      await sql.query(ERASE_KEYS, person);
      const orders = await sql.query<OrderRow>(LOCK_ORDERS, person);
      check(orders);
      const customers = await sql.query<CustomerRow>(LOCK_CUSTOMERS, [storeId, email]);
      const customer = customers.find(({ isPerson }) => isPerson);
      const companies = customers.filter(({ isPerson }) => !isPerson);
      const ids = orders.map(({ id }) => id);
      if (ids.length > 0) {
        await sql.query(ERASE_SHIPMENTS, [storeId, ids]);
        await sql.query(ERASE_ORDERS, [storeId, ids, ERASED_NAME]);
        await sql.query(ERASE_LINES, [storeId, ids]);
        await sql.query(ERASE_PAYMENTS, [storeId, ids]);
        await sql.query(ERASE_REASONS, [storeId, ids]);
      }
      if (customer) {
        await sql.query(ERASE_CUSTOMER, [storeId, customer.id, ERASED_NAME]);
        await sql.query(DELETE_SECRETS, [storeId, customer.id]);
      }
      if (companies.length > 0) {
        await sql.query(ERASE_CONTACTS, [storeId, companies.map(({ id }) => id), email]);
      }
      const gone = customers.flatMap(({ contacts }) => contacts);
      const contacts = [{ email, phone: '' }, ...(customer ? [customer] : []), ...gone, ...orders];
      const blockedContacts = await unblock(sql, storeId, contacts);
      const members = await sql.query<object>(MEMBER, [storeId, email]);
      const changed = {
        customers: customer ? 1 : 0,
        contacts: companies.length,
        orders: orders.length,
        blockedContacts,
      };
      if (Object.values(changed).some((count) => count > 0)) {
        const { blockedContacts: blocked_contacts, ...counts } = changed;
        await recordAudit(sql, storeId, origin, {
          action: 'customer.erased',
          subject: subjectOf(customer),
          changes: allNew({ ...counts, blocked_contacts }),
        });
      }
      return { ...changed, isMember: members.length > 0 };
    };
    return this.bulkLimiter.run(storeId, () =>
      this.direct.run((connection) => connection.transaction(storeId, inTransaction)),
    );
  }
}

/** The audit names no customer: it would keep what an erasure removes. */
function subjectOf(customer: { readonly id: string } | undefined): AuditEvent['subject'] {
  return { kind: 'customer', id: customer?.id ?? '', name: '' };
}

async function* collectOrders(sql: Sql, storeId: number, ids: readonly string[]) {
  await sql.query(COLLECT_ORDERS, [storeId, ids]);
  for (;;) {
    const [row] = await sql.query<OrderColumns>(NEXT_ORDER);
    if (!row) return;
    // The reader converts the parsed row to text, so other requests run in between.
    await setImmediate();
    yield orderRecord(row);
  }
}

/** @param person the store, the e-mail and the customer. @throws TooManyRows */
async function assertFew(sql: Sql, person: readonly unknown[], most: ErasureLimits): Promise<void> {
  const companies = await sql.query(FIND_COMPANIES, [...person.slice(0, 2), most.orders + 1]);
  if (companies.length > most.orders) {
    throw new TooManyRows('companies with the person as a contact', most.orders, 'customers erase');
  }
  const orders = await sql.query<{ id: string }>(FIND_ORDERS, [...person, most.orders + 1]);
  if (orders.length > most.orders) throw new TooManyRows('orders of a person', most.orders, 'customers erase');
  const ids = orders.map(({ id }) => id);
  const [records] = await sql.query<{ count: number }>(COUNT_RECORDS, [person[0], ids, most.records + 1]);
  if ((records?.count ?? 0) > most.records) {
    throw new TooManyRows('order records of a person', most.records, 'customers erase');
  }
}

/**
 * Removes the block list entries by which the fraud analysis would recognise the person. @returns the number of removed
 * entries.
 */
async function unblock(sql: Sql, storeId: number, contacts: readonly Partial<Contact>[]): Promise<number> {
  const [lists] = await sql.query<BlockLists>(LOCK_BLOCK_LISTS, [storeId]);
  const emails = [...new Set(contacts.map(({ email = '' }) => email))];
  const phones = [...new Set(contacts.map(({ phone = '' }) => phone))];
  const blockedEmails = entriesOf(lists?.emails, (entry) => isBlockedEmail(entry, emails));
  const blockedPhones = entriesOf(lists?.phones, (entry) => isBlockedPhone(entry, phones));
  const removed = blockedEmails.length + blockedPhones.length;
  if (removed > 0) await sql.query(UNBLOCK, [storeId, blockedEmails, blockedPhones]);
  return removed;
}

function entriesOf(list: unknown, isTheirs: (entry: string) => boolean): string[] {
  const entries = Array.isArray(list) ? (list as unknown[]) : [];
  return entries.filter((entry): entry is string => typeof entry === 'string' && isTheirs(entry));
}
