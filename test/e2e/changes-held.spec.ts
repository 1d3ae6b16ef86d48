import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangesService, ChangeWatch } from '@app/application';
import { CAPACITY, HELD_OF_A_STORE } from '../../apps/api/src/http/server/concurrency-limits.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { committedDocument, DocumentedAnswers } from '../support/documented-answers.js';
import { eventually } from '../support/eventually.js';
import { FeedReader, type FeedAnswer } from '../support/feed-reader.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';

/** Where the OpenAPI document has the schema of a line. */
const LINE_SCHEMA = ['paths', '/v1/changes', 'get', 'responses', '200', 'content', 'application/x-ndjson', 'schema'];

describe('a held request to GET /v1/changes', () => {
  let api: ListeningApi;
  beforeEach(async () => {
    api = await startListeningApi();
  });
  afterEach(() => api.stop());

  const reader = async () => {
    const feed = new FeedReader(api);
    await feed.catchUp();
    return feed;
  };
  const watchers = () =>
    api.app.get<{ readonly watchers: ReadonlySet<unknown> }>(ChangeWatch, { strict: false }).watchers;
  const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const start = performance.now();
    return [await work, performance.now() - start];
  };

  it('ends as soon as something changes', async () => {
    const feed = await reader();
    const waiting = timed(feed.page('&wait=20'));
    await sleep(600);
    const brand = await api.store.brand();

    const [{ data }, took] = await waiting;

    expect(data.map(({ id }) => id)).toEqual([String(brand)]);
    expect(took).toBeGreaterThan(500);
    expect(took).toBeLessThan(10_000);
  });

  it('ends without changes when the time is over, and not for a change of another kind or store', async () => {
    const feed = new FeedReader(api, 'kinds=orders');
    await feed.catchUp();
    const waiting = timed(feed.page('&wait=4'));
    await sleep(300);
    await api.store.brand();

    const [{ data, has_more: hasMore }, took] = await waiting;

    expect([data, hasMore]).toEqual([[], false]);
    expect(took).toBeGreaterThan(3_900);
  });

  it('does not wait when there are changes', async () => {
    await api.store.brand();

    const [{ data }, took] = await timed(new FeedReader(api).page('&wait=25'));

    expect(data.length).toBeGreaterThan(0);
    expect(took).toBeLessThan(10_000);
  });

  it('ends at once when the process shuts down', async () => {
    const feed = await reader();
    const waiting = timed(feed.page('&wait=25'));
    await sleep(300);

    api.app.get(ChangeWatch, { strict: false }).close();

    expect((await waiting)[1]).toBeLessThan(10_000);
    expect((await timed(feed.page('&wait=25')))[1]).toBeLessThan(10_000);
  });

  it('takes no connection and no place of other reads, and has places of its own', async () => {
    const feed = await reader();
    const url = `/v1/changes?cursor=${feed.cursor}&wait=25`;
    const waits = (store: StoreFixture, of = url) => api.get(of, { authorization: `Bearer ${store.key}` });
    const crowdOf = (store: StoreFixture, of?: string) =>
      Array.from({ length: HELD_OF_A_STORE }, () => waits(store, of));
    const held = (count: number) =>
      eventually(() => {
        expect(watchers().size).toBe(count);
        return Promise.resolve();
      });
    const crowd = crowdOf(api.store);
    await held(HELD_OF_A_STORE);

    expect((await api.get(url)).headers['x-error-code']).toBe('overloaded');
    while (crowd.length < CAPACITY.held) {
      crowd.push(...crowdOf(await StoreFixture.create(api.database), '/v1/changes?kinds=orders&wait=25'));
      await held(crowd.length);
    }
    const another = await StoreFixture.create(api.database);
    expect((await waits(another, '/v1/changes?wait=25')).headers['x-error-code']).toBe('overloaded');
    expect((await api.get('/v1/brands')).statusCode).toBe(200);
    expect((await api.get(`/v1/changes?cursor=${feed.cursor}`)).statusCode).toBe(200);

    api.app.get(ChangeWatch, { strict: false }).close();
    const answers = await Promise.all(crowd);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect((await api.get(`/v1/changes?cursor=${feed.cursor}&wait=1`)).statusCode).toBe(200);
  }, 60_000);

  it('frees its place when the connection breaks', async () => {
    const feed = await reader();
    const url = `http://127.0.0.1:${api.port}/v1/changes?cursor=${feed.cursor}&wait=25`;
    const request = http.get(url, { headers: { authorization: `Bearer ${api.store.key}` } });
    request.on('error', () => undefined);
    await eventually(() => {
      expect(watchers().size).toBe(1);
      return Promise.resolve();
    });

    request.socket?.resetAndDestroy();

    await eventually(() => {
      expect(watchers().size).toBe(0);
      return Promise.resolve();
    });
  });

  describe('for a stream', () => {
    const stream = async (query = '') => {
      const response = await fetch(`http://127.0.0.1:${api.port}/v1/changes?${query}`, {
        headers: { authorization: `Bearer ${api.store.key}`, accept: 'application/x-ndjson' },
      });
      return response;
    };

    it('answers with everything in lines, with a cursor after each page', async () => {
      await api.database.query(
        `INSERT INTO brands (store_id, slug, name) SELECT $1, 'b-' || n, 'B' FROM generate_series(1, 250) AS n`,
        [api.store.id],
      );

      const response = await stream();
      const lines = (await response.text()).trim().split('\n');
      const answers = lines.map((line) => JSON.parse(line) as { id?: string } & FeedAnswer);

      expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const progress = answers.filter(({ id }) => id === undefined);
      expect(new Set(answers.flatMap(({ id }) => id ?? [])).size).toBe(250);
      expect(progress.map(({ has_more: hasMore }) => hasMore)).toEqual([true, true, false]);
      const documented = new DocumentedAnswers(committedDocument());
      const faults = answers.flatMap((line) => documented.faults(LINE_SCHEMA, line));
      expect([...new Set(faults)]).toEqual([]);
      const next = await api.get(`/v1/changes?cursor=${progress.at(-1)?.cursor}`);
      expect(next.json<FeedAnswer>().data).toEqual([]);
    });

    it('reads no further than the client does', async () => {
      await api.database.query(
        `INSERT INTO brands (store_id, slug, name, description)
         SELECT $1, 'b-' || n, 'B', repeat('x', 20000) FROM generate_series(1, 2000) AS n`,
        [api.store.id],
      );
      const reads = jest.spyOn(api.app.get(ChangesService, { strict: false }), 'read');
      const response = await stream();
      const body = response.body?.getReader();
      await body?.read();
      await sleep(1_500);

      // The kernel's buffers hold a few pages of 2 MB.
      expect(reads.mock.calls.length).toBeLessThan(12);
      await body?.cancel();
    });
  });
});
