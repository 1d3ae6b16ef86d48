import { CHANGE_KINDS, type ChangeKind } from '@app/application';
import pg from 'pg';
import { PostgresChangeFeed } from '../../libs/infrastructure/src/changes/postgres-change-feed.js';
import { Database } from '../../libs/infrastructure/src/postgres/database.js';
import { startApi, type RunningApi } from '../support/start-api.js';

/** PostgreSQL makes as many plans with values before it decides for one plan. */
const TRIED = 5;
const CHANGES = 50_000;

describe('the plan of a page of the feed', () => {
  let api: RunningApi;
  let pool: pg.Pool;
  beforeAll(async () => {
    api = await startApi();
    // A large store, and ten small ones.
    await api.database.query(
      `INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
       SELECT store_id, 'categories', n, n, false, now() FROM (
         SELECT $1::int AS store_id, generate_series(1, ${CHANGES}) AS n
         UNION ALL
         SELECT $1::int + 1 + n % 10, n FROM generate_series(1, 500) AS n
       ) AS spread`,
      [api.store.id],
    );
    await api.database.query('ANALYZE changes');
  });
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: api.database.url, max: 1 });
  });
  afterEach(() => pool.end());
  afterAll(() => api.stop());

  it.each<[string, readonly ChangeKind[], number]>([
    ['the first page of one kind', ['categories'], 0],
    ['the last page of one kind', ['categories'], CHANGES - 10],
    ['a page of all kinds', CHANGE_KINDS, CHANGES / 2],
    ['a page without changes', CHANGE_KINDS, CHANGES],
  ])('is made once, even when a connection first reads %s', async (_, kinds, position) => {
    const feed = new PostgresChangeFeed(new Database(() => pool));
    const query = { kinds, limit: 100 };
    const { next } = await feed.read(api.store.id, { ...query, after: null });

    for (let n = 1; n < TRIED + 3; n++) await feed.read(api.store.id, { ...query, after: { ...next, position } });

    const { rows } = await pool.query<{ custom: number; generic: number }>(
      `SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
       WHERE statement LIKE '%changes.page%'`,
    );
    expect(rows).toEqual([{ custom: TRIED, generic: 3 }]);
  });
});
