import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Fails when a connection to it stays open. A pool ends before its connections do: the server waits for them for 5 s. */
  drop(): Promise<void>;
}

/** @param options the options of `CREATE DATABASE`, for a database that is not a copy of the migrated template. */
export async function createTestDatabase(options = `TEMPLATE ${process.env.TEST_TEMPLATE}`): Promise<TestDatabase> {
  const name = `${process.env.TEST_TEMPLATE}_${randomBytes(4).toString('hex')}`;
  await onCluster(`CREATE DATABASE ${name} ${options}`);
  const url = new URL(process.env.TEST_CLUSTER_URL ?? '');
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 3 });
  return {
    url: url.href,
    query: async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[],
    drop: async () => {
      await pool.end();
      await onCluster(`DROP DATABASE ${name}`);
    },
  };
}

async function onCluster(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.TEST_CLUSTER_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
