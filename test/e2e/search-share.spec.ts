import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const COSTLY = ['orders?search=ada', 'customers?search=ada', 'orders?page=2000', 'customers?page=2000'];

describe('searches and deep pages', () => {
  const written: string[] = [];
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' }, written);
    await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store'))); // opens the pool's connections
  });
  afterAll(() => api.stop());

  it('use at most 4 of 10 connections, over all lists together', async () => {
    const blocker = new pg.Client({ connectionString: api.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE customers, orders IN ACCESS EXCLUSIVE MODE');
    const crowd = Promise.all(Array.from({ length: 20 }, (_, n) => api.get(`/v1/${COSTLY[n % COSTLY.length]}`)));
    const waiting = async () => {
      const rows = await api.database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]?.n;
    };
    await eventually(async () => expect(await waiting()).toBeGreaterThanOrEqual(4));
    // A request after all searches gets a connection, so they hold all the connections that they can get.
    const { statusCode } = await api.get('/v1/store');
    const most = await waiting();
    await blocker.end();
    await crowd;

    expect([statusCode, most]).toEqual([200, 4]);
  });

  it('of one store are refused at once while 32 wait, and leave places to other requests', async () => {
    const blocker = new pg.Client({ connectionString: api.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
    const crowd = Array.from({ length: 250 }, () => api.get('/v1/customers?search=ada'));
    const refused = await overloaded(Promise.any(crowd.map(overloaded)));
    const others = await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store')));
    await blocker.end();
    const answers = await Promise.all(crowd);

    expect(refused.headers['retry-after']).toBe('1');
    expect(others.map(({ statusCode }) => statusCode)).toEqual(others.map(() => 200));
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4 + 32);
    expect(statuses.filter((status) => status === 503)).toHaveLength(250 - 36);
  });

  it('return 503 overloaded after waiting 2 s for a connection, and log no database failure', async () => {
    written.length = 0;
    const blocker = new pg.Client({ connectionString: api.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
    // Four wait for the lock until their lock timeout of 2 s, then the next four. The others get no connection in 2 s.
    const searches = Array.from({ length: 12 }, () => api.get('/v1/customers?search=ada'));
    const late = await Promise.any(searches.map(overloaded));
    await blocker.end();
    await Promise.all(searches);

    expect(late.statusCode).toBe(503);
    const id = String(late.headers['x-request-id']);
    const lines = written.filter((text) => text.includes(`"${id}"`));
    expect(lines).toEqual([expect.stringContaining('"error_code":"overloaded"')]);
  });
});

/** Resolves with an answer that has the error code `overloaded`, and rejects with any other. */
async function overloaded(answer: Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse> {
  const response = await answer;
  if (response.headers['x-error-code'] !== 'overloaded') throw new Error(`Answered ${response.statusCode}`);
  return response;
}
