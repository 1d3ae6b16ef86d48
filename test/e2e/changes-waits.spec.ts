import { once } from 'node:events';
import http, { type Server } from 'node:http';
import net from 'node:net';
import { promisify } from 'node:util';
import { BrandRepository, FeedWatch } from '@app/application';
import pg from 'pg';
import { CAPACITY, WAITS_OF_A_STORE } from '../../apps/api/src/http/server/concurrency-limits.js';
import { counterValue } from '../support/counter-value.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';
import { lockWaits } from '../support/lock-waits.js';
import type { RunningApi } from '../support/start-api.js';
import { openUnread } from '../support/unread-connections.js';

/** A request with `wait=25` that is not ended early makes its test fail. */
const SHORTER_THAN_THE_WAIT_MS = 20_000;

describe('a waiting request to GET /v1/changes', () => {
  let application: ListeningApi;
  /** The application, with a store for each test. */
  let api: RunningApi & { readonly port: number };
  beforeAll(async () => {
    application = await startListeningApi();
  });
  beforeEach(async () => {
    api = { ...(await application.withStore()), port: application.port };
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => application.stop());

  const reader = async () => {
    const feed = new FeedReader(api);
    await feed.catchUp();
    return feed;
  };
  const watchers = () =>
    api.app.get<{ readonly watchers: ReadonlySet<{ wake(changed: boolean): void }> }>(FeedWatch, { strict: false })
      .watchers;
  /** The places that requests have. */
  const placesTaken = async () => {
    const taken = (kind: string) => counterValue(api.app, 'http_places_taken', { kind });
    return { waits: await taken('waits'), reads: await taken('reads') };
  };
  const connections = () => {
    const server: Server = api.app.getHttpServer();
    return promisify(server.getConnections.bind(server))();
  };
  /** Thirty brands in a table that is locked until `end`: the first records of a page wait. */
  const lockedBrands = async () => {
    await api.database.query(
      `INSERT INTO brands (store_id, slug, name) SELECT $1, 'b-' || n, 'B' FROM generate_series(1, 30) AS n`,
      [api.store.id],
    );
    await new FeedReader(api).catchUp();
    const lock = new pg.Client({ connectionString: api.database.url });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
    return lock;
  };
  const ask = (query: string) =>
    `GET /v1/changes?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.store.key}\r\n\r\n`;
  /** Starts a request that waits, and returns when it does. `changed` of its answer: whether a change ended the wait. */
  const hold = async (feed: FeedReader, seconds: number) => {
    const wait = jest.spyOn(api.app.get(FeedWatch, { strict: false }), 'wait');
    const page = feed.page(`&wait=${seconds}`);
    await eventually(() => expect(watchers().size).toBe(1));
    return async () => ({ ...(await page), changed: (await wait.mock.results[0]?.value) as boolean });
  };

  it('ends as soon as something changes', async () => {
    const answer = await hold(await reader(), 25);
    const brand = await api.store.brand();

    const { data, changed } = await answer();

    expect(data.map(({ id }) => id)).toEqual([String(brand)]);
    expect(changed).toBe(true);
  });

  it('ends without changes when the time is over, and not for a change of another kind or store', async () => {
    const feed = new FeedReader(api, 'kinds=orders');
    await feed.catchUp();
    const answer = await hold(feed, 2);
    await api.store.brand();

    const { data, has_more: hasMore, changed } = await answer();

    expect([data, hasMore, changed]).toEqual([[], false, false]);
  });

  it('does not wait when there are changes', async () => {
    await api.store.brand();
    const wait = jest.spyOn(api.app.get(FeedWatch, { strict: false }), 'wait');

    const { data } = await new FeedReader(api).page('&wait=25');

    expect(data.length).toBeGreaterThan(0);
    expect(wait).not.toHaveBeenCalled();
  });

  it('takes no connection and no place of other reads, and has places of its own', async () => {
    const feed = await reader();
    const url = `/v1/changes?cursor=${feed.cursor}&wait=25`;
    const crowdOf = ({ get }: RunningApi, of: string) => Array.from({ length: WAITS_OF_A_STORE }, () => get(of));
    const waiting = (count: number) => eventually(() => expect(watchers().size).toBe(count));
    const crowd = crowdOf(api, url);
    await waiting(WAITS_OF_A_STORE);

    expect((await api.get(url)).headers['x-error-code']).toBe('overloaded');
    while (crowd.length < CAPACITY.waits) {
      crowd.push(...crowdOf(await application.withStore(), '/v1/changes?kinds=orders&wait=25'));
      await waiting(crowd.length);
    }
    const another = await application.withStore();
    expect((await another.get('/v1/changes?wait=25')).headers['x-error-code']).toBe('overloaded');
    expect((await api.get('/v1/brands')).statusCode).toBe(200);
    expect((await api.get(`/v1/changes?cursor=${feed.cursor}`)).statusCode).toBe(200);

    for (const watcher of watchers()) watcher.wake(false);
    const answers = await Promise.all(crowd);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect((await api.get(`/v1/changes?cursor=${feed.cursor}&wait=1`)).statusCode).toBe(200);
  }, 60_000);

  it('frees its place when the connection breaks', async () => {
    const feed = await reader();
    const url = `http://127.0.0.1:${api.port}/v1/changes?cursor=${feed.cursor}&wait=25`;
    const request = http.get(url, { headers: { authorization: `Bearer ${api.store.key}` } });
    request.on('error', () => undefined);
    await eventually(() => expect(watchers().size).toBe(1));

    request.socket?.resetAndDestroy();

    await eventually(() => expect(watchers().size).toBe(0));
  });

  it(
    'ends early when the client ends its side of the connection, with an answer if it still reads',
    async () => {
      const feed = await reader();
      const socket = net.connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
      let answer = '';
      socket.on('data', (data) => (answer += String(data)));
      socket.write(ask(`cursor=${feed.cursor}&wait=25`));
      await eventually(() => expect(watchers().size).toBe(1));

      socket.end();
      await once(socket, 'end');

      expect(answer).toContain('"data":[]');
      expect(await placesTaken()).toEqual({ waits: 0, reads: 0 });
    },
    SHORTER_THAN_THE_WAIT_MS,
  );

  it.each([
    ['waits', 'wait=25'],
    ['reads', ''],
  ] as const)(
    'keeps its place among the %s when its connection breaks, until its work has ended, and reads no further',
    async (kind, query) => {
      const lock = await lockedBrands();
      const records = jest.spyOn(api.app.get(BrandRepository, { strict: false }), 'findByIds');
      const [socket] = await openUnread(api.port, 1, ask(query));
      await eventually(async () => expect(await lockWaits(api.database)).toBe(1));

      socket?.resetAndDestroy();
      await eventually(async () => expect(await connections()).toBe(0));
      expect(await placesTaken()).toMatchObject({ [kind]: 1 });
      await lock.end();

      await eventually(async () => expect(await placesTaken()).toEqual({ waits: 0, reads: 0 }));
      expect(records).toHaveBeenCalledTimes(1);
    },
  );

  it('is refused when its key is revoked before the change that it waits for', async () => {
    const feed = await reader();
    const waiting = api.get(`/v1/changes?cursor=${feed.cursor}&wait=25`);
    await eventually(() => expect(watchers().size).toBe(1));

    await api.database.query(`UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1`, [api.store.id]);
    await api.store.brand();

    const { statusCode, headers } = await waiting;
    expect([statusCode, headers['x-error-code']]).toEqual([403, 'api_key_inactive']);
  });

  it('is refused when its key is revoked and nothing changes', async () => {
    const answer = await hold(await reader(), 1);

    await api.database.query(`UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1`, [api.store.id]);

    await expect(answer()).rejects.toThrow('403');
  });

  // The last test, because no request waits after it.
  it(
    'ends at once when the process shuts down, and later ones do not wait',
    async () => {
      const feed = await reader();
      const answer = await hold(feed, 25);

      api.app.get(FeedWatch, { strict: false }).close();

      expect(watchers().size).toBe(0);
      expect((await answer()).data).toEqual([]);
      expect((await feed.page('&wait=25')).data).toEqual([]);
    },
    SHORTER_THAN_THE_WAIT_MS,
  );
});
