import pg from 'pg';

/**
 * A session whose transaction has run the statements and holds their locks until `COMMIT`, `ROLLBACK`, `end()` or the end
 * of the test: a test that fails must not leave its locks to the next one.
 */
export async function openTransaction(database: { readonly url: string }, sql = ''): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`BEGIN; ${sql}`);
  return client;
}
