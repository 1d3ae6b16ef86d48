import { v5 as uuidv5 } from 'uuid';
import { NATIONAL_IDS } from '@app/infrastructure';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { CustomerLine } from './bundle.js';
import { CUSTOMERS, CUSTOMER_SECRETS } from './tables.js';

/** An arbitrary UUID that must never change: the importer derives customer ids from it. */
const NAMESPACE = '6f1c0d52-7a7e-4f0e-9a53-3c9a4b0f5d11';

// The expression of the unique index decides whether two e-mails are equal.
const BY_EMAIL = `/* import.customers.by_email */
  SELECT DISTINCT given.email, customers.id
  FROM jsonb_array_elements_text($2::jsonb) AS given (email)
  JOIN customers ON customers.store_id = $1 AND lower(customers.email) = lower(given.email) AND customers.email <> ''`;

/** Writes customers by e-mail, else by id. Secrets go to a separate table. */
export const writeCustomers: WriteLines<CustomerLine> = async (batch, store, lines) => {
  const ids = await idsOf(batch, store, lines);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (repeated > 0) {
    // Two lines of one customer, the first of which changes the e-mail, are written one after the other.
    await writeCustomers(batch, store, lines.slice(0, repeated));
    return writeCustomers(batch, store, lines.slice(repeated));
  }
  const rows = lines.map(({ line }, index) => {
    const { kind: _, store: __, password_hash, verification_token, national_id, ...fields } = line;
    return { ...fields, id: ids[index] };
  });
  const written = await CUSTOMERS.write(batch.manager, store.id, rows);
  for (const { outcome } of written) batch.tally.add('customer', outcome);

  const secrets = lines.flatMap(({ line }, index) => secretsOf(batch, store, line, ids[index] ?? ''));
  await CUSTOMER_SECRETS.write(batch.manager, store.id, secrets);
};

async function idsOf({ manager }: Batch, store: Owner, lines: readonly Numbered<CustomerLine>[]): Promise<string[]> {
  const emails = lines.flatMap(({ line }) => (line.email ? [line.email] : []));
  const found = await manager.query<{ email: string; id: string }[]>(BY_EMAIL, [store.id, JSON.stringify(emails)]);
  const known = new Map(found.map(({ email, id }) => [email, id]));
  return lines.map(({ line }) => known.get(line.email ?? '') ?? line.id ?? derivedId(store, line));
}

/** Every import gives the same customer the same id. */
function derivedId({ subdomain }: Owner, { email, name, phone = '', created_at = '' }: CustomerLine): string {
  const identity = email ? [email.toLowerCase()] : [name, phone, created_at];
  return uuidv5(JSON.stringify([subdomain, ...identity]), NAMESPACE);
}

function secretsOf({ cipher }: Batch, store: Owner, line: CustomerLine, customerId: string) {
  const { password_hash, verification_token, national_id } = line;
  if (password_hash === undefined && verification_token === undefined && national_id === undefined) return [];
  const encrypt = (text: string) =>
    `\\x${cipher.encrypt(text, NATIONAL_IDS.context(store.id, customerId)).toString('hex')}`;
  return [
    {
      customer_id: customerId,
      ...(password_hash !== undefined && { password_hash: password_hash || null }),
      ...(verification_token !== undefined && { verification_token: verification_token || null }),
      ...(national_id !== undefined && { national_id: national_id ? encrypt(national_id) : null }),
    },
  ];
}
