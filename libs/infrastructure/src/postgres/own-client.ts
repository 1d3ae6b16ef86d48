import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { READ_INTEGERS } from './integers.js';
import { SESSION_SETTINGS } from './session-settings.js';

const CONNECTION_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** @param name of the connection, which the server's list of sessions shows. */
export async function withOwnClient<T>(url: string, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECTION_MS,
    types: READ_INTEGERS,
  });
  // The failing query reports a broken connection; an unhandled event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(SESSION_SETTINGS);
    return await work(client);
  } finally {
    // A silent server does not answer the end of the connection.
    await Promise.race([client.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
