import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import type { TestDatabase } from '../support/test-database.js';

/** Written for every request: when the key was used, and how often. */
const OF_THE_KEY = ['public.api_keys', 'public.api_key_usage'];
/** Connections of the test's own pool. */
const POOL = 3;

interface Activity {
  readonly name: string;
  readonly rows: string;
  readonly written: string;
}

/** For every table, its number of rows, and how many rows were ever inserted, updated or deleted. */
async function activityOf(database: TestDatabase): Promise<Record<string, string>> {
  // Each session reports its changes when it is idle; this makes it report them at once.
  await Promise.all(
    Array.from({ length: POOL }, () => database.query('SELECT pg_stat_force_next_flush(), pg_sleep(0.1)')),
  );
  const tables = await database.query<Activity>(
    `SELECT schemaname || '.' || relname AS name, n_tup_ins + n_tup_upd + n_tup_del AS written,
       (xpath('/row/count/text()', query_to_xml(format('SELECT count(*) AS count FROM %I.%I', schemaname, relname),
         false, true, '')))[1]::text AS rows
     FROM pg_stat_user_tables`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const own = tables.filter(({ name }) => !OF_THE_KEY.includes(name));
  return Object.fromEntries(own.map(({ name, rows, written }) => [name, `${rows} rows, ${written} written`]));
}

/** The tables that the work changed. The API ends before the second look, so that its sessions have reported. */
async function changedBy(work: (api: RunningApi, body: unknown) => Promise<void>): Promise<string[]> {
  const api = await startApi({ PIPELINE: 'off' });
  const body = { ...anOrderBody(await api.store.product({ stock: 5 })), external_reference: 'PO 1' };
  const before = await activityOf(api.database);
  await work(api, body);
  await api.app.close();
  const after = await activityOf(api.database);
  await api.database.drop();
  return Object.keys(after).filter((table) => after[table] !== before[table]);
}

describe('a preview of an order', () => {
  it('writes to no table, with or without problems', async () => {
    const changed = await changedBy(async (api, body) => {
      for (let n = 0; n < 20; n++) {
        const quantity = n % 2 === 0 ? 1 : 999;
        const items = [(body as { items: { product_id: number }[] }).items[0]?.product_id ?? 0, 2_000_000_000].map(
          (product_id) => ({ product_id, quantity }),
        );
        const sent = n % 4 < 2 ? body : { ...(body as object), items };
        const response = await api.post('/v1/orders/preview', sent, { 'idempotency-key': `preview-${n}` });
        expect(response.statusCode).toBe(200);
      }
    });

    expect(changed).toEqual([]);
  });

  it('differs in that from an order, which the same check notices', async () => {
    const changed = await changedBy(async (api, body) => {
      expect((await api.post('/v1/orders', body)).statusCode).toBe(201);
    });

    expect(changed).toEqual(
      expect.arrayContaining(['public.orders', 'public.order_lines', 'public.order_stages', 'public.stock']),
    );
  });
});
