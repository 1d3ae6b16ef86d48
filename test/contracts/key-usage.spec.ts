import { ApiKeyRepository, type ApiKeyLookup } from '@app/application';
import { Database } from '@app/infrastructure';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { startApi, type RunningApi } from '../support/start-api.js';

// The port's contract does not cover how often the adapter writes to the database, and what it does without one.
describe('the counter of key usage', () => {
  let api: RunningApi;
  let key: ApiKeyLookup;
  beforeAll(async () => {
    api = await startApi();
    const [record] = await api.app.get(ApiKeyRepository).list(api.store.id);
    if (!record) throw new Error('The store has no key');
    const store = { id: api.store.id, currency: 'USD', active: true };
    key = { ...record, expired: false, store };
  });
  afterAll(() => api.stop());

  const write = async (usage: KeyUsage, requests = 1) => {
    for (let n = 0; n < requests; n++) usage.count(key);
    await usage.flush();
  };
  const processes = (count: number) =>
    Array.from({ length: count }, () => new KeyUsage(api.app.get(Database, { strict: false })));
  const stored = async () => {
    const [row] = await api.database.query<{ version: string; last_used_at: Date | null; requests: number }>(
      `SELECT key.xmin::text AS version, key.last_used_at, usage.requests::int AS requests
       FROM api_keys key LEFT JOIN api_key_usage usage ON usage.store_id = key.store_id AND usage.key_id = key.id
       WHERE key.store_id = $1 AND key.id = $2`,
      [key.store.id, key.id],
    );
    if (!row) throw new Error('The key is gone');
    return row;
  };
  const lastUsed = (moment: string) =>
    api.database.query(`UPDATE api_keys SET last_used_at = ${moment} WHERE id = $1`, [key.id]);

  it('writes nothing during requests, and writes many requests at once', async () => {
    const before = await stored();
    for (let n = 0; n < 20; n++) expect((await api.get('/v1/store')).statusCode).toBe(200);
    expect(await stored()).toEqual(before);

    await api.app.get(KeyUsage, { strict: false }).flush();

    const after = await stored();
    expect(after.requests).toBe(20);
    expect(Date.now() - (after.last_used_at?.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it('updates last_used_at at most once a minute, over all processes', async () => {
    // In the future, the minute of the clock cannot change while the test runs.
    await lastUsed(`date_trunc('minute', now()) + interval '1 hour'`);
    const before = await stored();

    await Promise.all(processes(8).map((usage) => write(usage)));

    expect((await stored()).version).toBe(before.version);
    await lastUsed(`now() - interval '61 seconds'`);
    await Promise.all(processes(8).map((usage) => write(usage)));
    expect(Date.now() - ((await stored()).last_used_at?.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it('adds up the counts of all processes', async () => {
    const { requests } = await stored();

    await Promise.all(processes(8).map((usage, n) => write(usage, n + 1)));

    expect((await stored()).requests).toBe(requests + 36);
  });

  it('keeps counts that it could not write for the next time', async () => {
    const { requests } = await stored();
    const database = api.app.get(Database, { strict: false });
    let isAway = true;
    const query = (text: string, values: unknown[]) =>
      isAway ? Promise.reject(new Error('away')) : database.query(text, values);
    const usage = new KeyUsage({ query } as unknown as Database);
    jest.spyOn((usage as unknown as { logger: { warn(text: string): void } }).logger, 'warn').mockImplementation();

    await write(usage, 2);
    isAway = false;
    await write(usage, 3);

    expect((await stored()).requests).toBe(requests + 5);
  });

  it('drops the counts of a deleted key and writes those of other keys', async () => {
    const { requests } = await stored();
    const usage = new KeyUsage(api.app.get(Database, { strict: false }));
    usage.count({ ...key, id: '00000000-0000-7000-8000-000000000000' });

    await write(usage);

    expect((await stored()).requests).toBe(requests + 1);
  });

  it('writes its counts when the process ends', async () => {
    const { requests } = await stored();
    await api.get('/v1/store');

    await api.app.get(KeyUsage, { strict: false }).onApplicationShutdown();

    expect((await stored()).requests).toBe(requests + 1);
  });
});

describe('the expiry of a key', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['fast', 24 * 3_600_000],
    ['slow', -24 * 3_600_000],
  ])('depends on the clock of the database, even in a process whose clock is a day %s', async (_name, offset) => {
    const setExpiry = (moment: string) =>
      api.database.query(`UPDATE api_keys SET expires_at = ${moment} WHERE store_id = $1`, [api.store.id]);
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + offset);

    await setExpiry(`now() + interval '1 hour'`);
    expect((await api.get('/v1/store')).statusCode).toBe(200);
    await setExpiry(`now() - interval '1 second'`);
    expect((await api.get('/v1/store')).statusCode).toBe(403);
  });
});
