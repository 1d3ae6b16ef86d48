import pg from 'pg';

/** Runs `work` on a connection of its own; what it began and did not commit is undone when it fails. */
export async function withOwnClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'store-commerce-backup' });
  // A connection that breaks is reported by the query that fails, not by an event nobody hears.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
