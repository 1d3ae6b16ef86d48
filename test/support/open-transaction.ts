import pg from 'pg';

/** A session whose transaction has run the statements and holds their locks until `COMMIT`, `ROLLBACK` or `end()`. */
export async function openTransaction(database: { readonly url: string }, sql = ''): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`BEGIN; ${sql}`);
  return client;
}
