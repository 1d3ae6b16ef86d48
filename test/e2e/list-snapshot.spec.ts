import pg from 'pg';
import { readList } from '../support/list-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ROWS = 5;
const READS = 150;

describe('a list that changes while it is read', () => {
  let api: RunningApi;
  let writer: pg.Client;
  beforeAll(async () => {
    api = await startApi();
    for (let n = 0; n < ROWS; n++) {
      await api.store.category();
      await api.store.brand();
    }
    writer = new pg.Client({ connectionString: api.database.url });
    await writer.connect();
  });
  afterAll(async () => {
    await writer.end();
    await api.stop();
  });

  it.each(['categories', 'brands'])('returns rows and a total of one snapshot: %s', async (list) => {
    let changing = true;
    const changes = (async () => {
      while (changing) await writer.query(`UPDATE ${list} SET active = NOT active WHERE store_id = $1`, [api.store.id]);
    })();
    const seen = new Set<number>();

    try {
      for (let read = 0; read < READS; read++) {
        const { data, pagination } = await readList(api, `/v1/${list}`);
        expect(pagination.total).toBe(data.length);
        seen.add(data.length);
      }
    } finally {
      changing = false;
      await changes;
    }
    expect([...seen].sort()).toEqual([0, ROWS]);
  });
});
