import pg from 'pg';
import { READ_INTEGERS } from './integers.js';
import { SESSION_SETTINGS } from './session-settings.js';

/** @param name of the connection, which the server's list of sessions shows. */
export async function withOwnClient<T>(url: string, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name, types: READ_INTEGERS });
  // The failing query reports a broken connection; an unhandled event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(SESSION_SETTINGS);
    return await work(client);
  } finally {
    await client.end();
  }
}
