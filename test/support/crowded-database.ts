import { randomBytes } from 'node:crypto';
import type { TestDatabase } from './test-database.js';

/** Further connections are refused with 53300, as by a full server. @returns the address for those few. */
export async function crowdedDatabase(database: TestDatabase, connections: number): Promise<string> {
  const url = new URL(database.url);
  const owner = decodeURIComponent(url.username);
  const role = `crowded_${randomBytes(4).toString('hex')}`;
  await database.query(
    `CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT ${connections} IN ROLE "${owner}"`,
  );
  url.username = url.password = role;
  return url.href;
}
