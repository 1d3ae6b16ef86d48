import { v4 as uuidv4, v5 as uuidv5 } from 'uuid';
import { filledIn } from '@app/domain';
import { NATIONAL_IDS } from '@app/infrastructure';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { CustomerLine } from '../schema/bundle.js';
import { BundleLineError } from '../check/faults.js';
import { CUSTOMERS, CUSTOMER_SECRETS } from './tables.js';

/** An arbitrary value that must never change: customer ids derive from it. */
const NAMESPACE = '6f1c0d52-7a7e-4f0e-9a53-3c9a4b0f5d11';

const BY_EMAIL = `/* import.customers.by_email */
  SELECT given.key, customers.id
  FROM jsonb_array_elements_text($2::jsonb) AS given (key)
  JOIN customers ON customers.store_id = $1 AND lower(customers.email) = given.key AND customers.email <> ''`;

const STORED_IDS = `/* import.customers.stored_ids */ SELECT id FROM customers WHERE store_id = $1 AND id = ANY($2)`;

// A list that is here stays until the import ends.
const PRICE_LISTS = `/* import.customers.price_lists */
  SELECT code FROM price_lists WHERE store_id = $1 AND code = ANY ($2) ORDER BY code FOR KEY SHARE`;

type Identified = Numbered<CustomerLine> & { readonly id: string };

export const writeCustomers: WriteLines<'customer'> = async (batch, store, lines) => {
  const identified = await withIds(batch, store, lines);
  const ids = identified.map(({ id }) => id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (repeated > 0) {
    // When two lines are about one customer and the first changes the e-mail, they are written one after the other.
    await writeCustomers(batch, store, lines.slice(0, repeated));
    return writeCustomers(batch, store, lines.slice(repeated));
  }
  const customers = await withPriceLists(batch, store, await refuseOthers(batch, store, identified));
  const rows = customers.map((each) => {
    const { kind: _, store: __, password_hash, verification_token, national_id, ...fields } = each.line;
    const parts = {
      ...(fields.addresses && { addresses: filledIn(fields.addresses) }),
      ...(fields.contacts && { contacts: filledIn(fields.contacts) }),
    };
    return { ...each, row: { ...fields, ...parts, id: each.id } };
  });
  const written = await CUSTOMERS.write(batch.sql, store.id, rows, batch);
  batch.note(written);
  const secrets = written.flatMap((each) => secretsOf(batch, store, each));
  await CUSTOMER_SECRETS.write(batch.sql, store.id, secrets, batch);
};

async function withIds(batch: Batch, store: Owner, lines: readonly Numbered<CustomerLine>[]): Promise<Identified[]> {
  const { sql, emailKey } = batch;
  const keys = lines.flatMap(({ line }) => (line.email ? [emailKey(line.email)] : []));
  const found = await sql.query<{ key: string; id: string }>(BY_EMAIL, [store.id, JSON.stringify(keys)]);
  const known = new Map(found.map(({ key, id }) => [key, id]));
  const identified = lines.map((each) => {
    const { email = '', id } = each.line;
    return { ...each, id: known.get(emailKey(email)) ?? id ?? derivedId(batch, store, each.line) };
  });
  const isNew = ({ line: { email, id } }: Identified) => email && !id && !known.has(emailKey(email));
  const derived = identified.filter(isNew).map(({ id }) => id);
  const taken = await storedIds(batch, store, derived);
  // The customer who once had the e-mail keeps the id that derives from it.
  return identified.map((each) => (isNew(each) && taken.has(each.id) ? { ...each, id: uuidv4() } : each));
}

async function storedIds({ sql }: Batch, store: Owner, ids: readonly unknown[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await sql.query<{ id: string }>(STORED_IDS, [store.id, ids]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Refuses lines that would merge two customers. A line may give an id to a customer who was imported without one,
 * unless a third customer has that id.
 */
async function refuseOthers(batch: Batch, store: Owner, customers: readonly Identified[]): Promise<Identified[]> {
  const others = customers.filter(({ id, line }) => line.id && line.id !== id);
  const given = others.map(({ line }) => line.id);
  const thirds = await storedIds(batch, store, given);
  return batch.good(customers, (each) => {
    const { number, id, line } = each;
    if (!line.id || line.id === id) return each;
    if (!thirds.has(line.id) && id === derivedId(batch, store, line)) return each;
    throw new BundleLineError(number, `customer.email is already the e-mail of customer ${id}`);
  });
}

/** Leaves out lines whose price list the store does not have. */
async function withPriceLists({ sql, good }: Batch, store: Owner, customers: readonly Identified[]) {
  const codes = new Set(customers.flatMap(({ line }) => line.price_list ?? []));
  if (codes.size === 0) return customers;
  const found = await sql.query<{ code: string }>(PRICE_LISTS, [store.id, [...codes]]);
  const known = new Set(found.map(({ code }) => code));
  return good(customers, (each) => {
    const { price_list: code } = each.line;
    if (!code || known.has(code)) return each;
    throw new BundleLineError(each.number, `customer.price_list is not a price list of the store: ${code}`);
  });
}

function derivedId(
  { emailKey }: Batch,
  { subdomain }: Owner,
  { email, name = '', phone = '', created_at = '' }: CustomerLine,
): string {
  const identity = email ? [emailKey(email)] : [name, phone, created_at];
  return uuidv5(JSON.stringify([subdomain, ...identity]), NAMESPACE);
}

function secretsOf({ cipher }: Batch, store: Owner, { number, id: customerId, line }: Identified) {
  const { password_hash, verification_token, national_id } = line;
  if (password_hash === undefined && verification_token === undefined && national_id === undefined) return [];
  const encrypt = (text: string) =>
    `\\x${cipher.encrypt(text, NATIONAL_IDS.context(store.id, customerId)).toString('hex')}`;
  const row = {
    customer_id: customerId,
    ...(password_hash !== undefined && { password_hash: password_hash || null }),
    ...(verification_token !== undefined && { verification_token: verification_token || null }),
    ...(national_id !== undefined && { national_id: national_id ? encrypt(national_id) : null }),
  };
  return [{ number, row }];
}
