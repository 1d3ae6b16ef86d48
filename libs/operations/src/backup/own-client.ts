import { SESSION_SETTINGS } from '@app/infrastructure';
import pg from 'pg';

/** Runs `work` on a dedicated connection. When it fails, uncommitted work is rolled back. */
export async function withOwnClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'store-commerce-backup' });
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
