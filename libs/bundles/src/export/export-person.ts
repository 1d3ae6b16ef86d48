import { isBlockedEmail } from '@app/domain';
import { hasEmail, isOrderOf } from '@app/infrastructure';
import type { BundleLine } from '../bundle/schema/bundle.js';
import { linesOf, type AnySection, type Filter } from './section.js';
import { inSnapshot, type StoreSnapshot } from './snapshot.js';
import { CUSTOMERS, ORDERS } from './trade-sections.js';

/** What a store knows of one person. Customer and orders have the fields of a store bundle. */
export interface PersonExport {
  readonly takenAt: string;
  readonly customer: BundleLine | null;
  /** Names of the stored secrets of the customer, which no command shows. */
  readonly secrets: readonly string[];
  /** Whether the e-mail is on the store's block list. */
  readonly blocked: boolean;
  /** Oldest id first. */
  readonly orders: readonly BundleLine[];
}

const IS_THEIRS = hasEmail('item', '$2');

const CUSTOMER_ID = `(SELECT id FROM customers WHERE store_id = $1 AND ${hasEmail('customers', '$2')})`;

const THEIR_ORDERS = isOrderOf('item', '$2', CUSTOMER_ID);

const SECRETS = `/* export.person.secrets */
  SELECT array_remove(ARRAY[
    CASE WHEN secret.password_hash IS NOT NULL THEN 'password_hash' END,
    CASE WHEN secret.verification_token IS NOT NULL THEN 'verification_token' END,
    CASE WHEN secret.national_id IS NOT NULL THEN 'national_id' END], NULL) AS names
  FROM customers AS item
  JOIN customer_secrets AS secret ON secret.store_id = item.store_id AND secret.customer_id = item.id
  WHERE item.store_id = $1 AND ${IS_THEIRS}`;

const BLOCKED = `/* export.person.blocked */
  SELECT coalesce(fraud_settings -> 'blocked_emails', '[]') AS emails FROM stores WHERE id = $1`;

/**
 * Collects what a store knows of the person with an e-mail, in any letter case: the customer who has it, the orders
 * that have it, guests' included, and the orders that are linked to the customer.
 *
 * @returns null when the store has neither a customer nor an order of the person.
 * @throws NotFound when there is no such store.
 */
export function exportPerson(url: string, subdomain: string, email: string): Promise<PersonExport | null> {
  return inSnapshot(url, subdomain, async (snapshot) => {
    const [customer = null] = await allLines(snapshot, CUSTOMERS, { condition: IS_THEIRS, value: email });
    const orders = await allLines(snapshot, ORDERS, { condition: THEIR_ORDERS, value: email });
    if (!customer && orders.length === 0) return null;
    const { client, storeId, takenAt } = snapshot;
    const secrets = await client.query<{ names: string[] }>(SECRETS, [storeId, email]);
    const lists = await client.query<{ emails: unknown }>(BLOCKED, [storeId]);
    const emails = lists.rows[0]?.emails;
    const blocked = isBlockedEmail(email, Array.isArray(emails) ? emails.map(String) : []);
    return { takenAt: takenAt.toISOString(), customer, secrets: secrets.rows[0]?.names ?? [], blocked, orders };
  });
}

async function allLines(snapshot: StoreSnapshot, section: AnySection, filter: Filter): Promise<BundleLine[]> {
  const lines: BundleLine[] = [];
  for await (const page of linesOf(snapshot, section, filter)) lines.push(...page);
  return lines;
}
