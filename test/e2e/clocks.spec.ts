import path from 'node:path';
import { StoreFixture } from '../builders/store-fixture.js';
import { startBuiltApi, type BuiltApi } from '../support/built-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SLOW_BY_MS = 5 * 60_000;
const START_MS = 60_000;

describe('two processes, one with a clock that is 5 minutes slow', () => {
  let database: TestDatabase;
  let store: StoreFixture;
  let mug: number;
  const processes: { readonly api: BuiltApi; readonly url: string }[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    mug = await store.product({ stock: 100 });
    const slow = {
      NODE_OPTIONS: `--import=${path.resolve('test/support/shifted-clock.mjs')}`,
      CLOCK_SHIFT_MS: String(-SLOW_BY_MS),
    };
    for (const clock of [{}, slow]) {
      const api = startBuiltApi({ DATABASE_URL: database.url, ...clock });
      const [, url = ''] = await api.says(/Listening at (http:[^"]+)"/, START_MS);
      processes.push({ api, url: url.replace('localhost', '127.0.0.1') });
    }
  }, START_MS);
  afterAll(async () => {
    for (const { api } of processes) api.process.kill('SIGKILL');
    await Promise.all(processes.map(({ api }) => api.ended()));
    await database.drop();
  });

  interface Listed {
    readonly id: string;
    readonly created_at: string;
  }
  const send = async <T>(url: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' };
    const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
    return ((await response.json()) as { data: T }).data;
  };
  const place = async (url: string) => {
    const body = { items: [{ product_id: mug, quantity: 1 }], customer: { name: 'Ada' } };
    return (await send<{ order_id: string }>(`${url}/v1/orders`, body)).order_id;
  };
  const now = async () =>
    (await database.query<{ now: Date }>('SELECT clock_timestamp() AS now'))[0]?.now.getTime() ?? 0;

  it(
    "list the orders in the order of placing, dated by the database's clock",
    async () => {
      const placed: { id: string; from: number; to: number }[] = [];
      for (let round = 0; round < 4; round++) {
        for (const { url } of processes) {
          const from = await now();
          placed.push({ id: await place(url), from, to: await now() });
        }
      }

      const listed = await send<Listed[]>(`${processes[0]?.url}/v1/orders`);

      expect(listed.map(({ id }) => id)).toEqual(placed.map(({ id }) => id).reverse());
      for (const { id, from, to } of placed) {
        const at = Date.parse(listed.find((order) => order.id === id)?.created_at ?? '');
        expect(at).toBeGreaterThanOrEqual(from - 1); // created_at has milliseconds
        expect(at).toBeLessThanOrEqual(to + 1);
        // A UUID v7 begins with its time: held orders are listed by id.
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
      }
    },
    START_MS,
  );
});
