import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('searches', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' });
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
});
