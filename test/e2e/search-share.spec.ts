import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('searches', () => {
  const written: string[] = [];
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' }, written);
    await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store'))); // the pool's connections are open
  });
  afterAll(() => api.stop());

  it('of all lists together take 4 of 10 connections at most', async () => {
    const blocker = new pg.Client({ connectionString: api.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE customers, orders IN ACCESS EXCLUSIVE MODE');
    const crowd = Promise.all(
      Array.from({ length: 20 }, (_, n) => api.get(`/v1/${n % 2 ? 'orders' : 'customers'}?search=ada`)),
    );
    await delay(300);

    const waiting = await api.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await blocker.end();
    await crowd;

    expect(waiting).toEqual([{ n: 4 }]);
  });

  it('return 503 overloaded when they wait 2 s for their turn, and log no failure of the database', async () => {
    written.length = 0;
    const blocker = new pg.Client({ connectionString: api.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
    // Four searches wait for the lock until their lock timeout of 2 s, and then the next four.
    const four = () => Promise.all(Array.from({ length: 4 }, () => api.get('/v1/customers?search=ada')));
    const first = four();
    await delay(500);
    const second = four();
    await delay(500);
    const late = await api.get('/v1/customers?search=ada');
    await blocker.end();
    await Promise.all([first, second]);

    expect([late.statusCode, late.headers['x-error-code']]).toEqual([503, 'overloaded']);
    const line = written.find((text) => text.includes('"error_code":"overloaded"'));
    const { request_id: id } = JSON.parse(line ?? '{}') as { request_id?: string };
    expect(written.filter((text) => text.includes(`"${id}"`))).toEqual([line]);
  });
});
