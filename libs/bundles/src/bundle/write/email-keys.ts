import type { EntityManager } from 'typeorm';
import type { EmailKey } from '../check/line-keys.js';
import type { BundleLine } from '../schema/bundle.js';

// The expression of the unique index. JavaScript folds some letters, such as İ and Σ, to others than PostgreSQL.
const KEYS = `/* import.emails.keys */
  SELECT email, lower(email) AS key FROM jsonb_array_elements_text($1::jsonb) AS given (email)`;

/** Asks the database for the keys of all customer lines. */
export async function emailKeys(manager: EntityManager, lines: readonly { line: BundleLine }[]): Promise<EmailKey> {
  const emails = lines.flatMap(({ line }) => (line.kind === 'customer' && line.email ? [line.email] : []));
  if (emails.length === 0) return (email) => email;
  const rows = await manager.query<{ email: string; key: string }[]>(KEYS, [JSON.stringify(emails)]);
  const keys = new Map(rows.map(({ email, key }) => [email, key]));
  return (email) => keys.get(email) ?? email;
}
