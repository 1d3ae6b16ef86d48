import type { Server } from 'node:http';
import { listen } from '../support/listen.js';
import { sendRaw } from '../support/raw-http.js';
import { LARGE_ANSWER_BYTES, SLOWNESSES, slowClient } from '../support/slow-clients.js';
import { startApi, type RunningApi } from '../support/start-api.js';

/** Few enough that their requests stay below the concurrency limits. */
const EACH = 2;
const PATIENCE_MS = 60_000;
const TEST_MS = 90_000;

describe('the API', () => {
  let api: RunningApi;
  let port: number;
  let largePath: string;
  beforeAll(async () => {
    api = await startApi();
    port = await listen(api.app);
    const product = await api.store.product({ columns: { description: 'x'.repeat(LARGE_ANSWER_BYTES) } });
    largePath = `/v1/products/${product}`;
    const server: Server = api.app.getHttpServer();
    // Shorter than the real limits: 10 s, 15 s, and 17 s for the answers.
    server.headersTimeout = 1_000;
    server.requestTimeout = 1_500;
  });
  afterAll(() => api.stop());

  it(
    'disconnects clients that send or read slowly, and serves other clients meanwhile',
    async () => {
      const target = { port, key: api.store.key, largePath };
      const slow = SLOWNESSES.map((slowness) =>
        Promise.all(Array.from({ length: EACH }, () => slowClient(slowness, target, PATIENCE_MS))),
      );
      const good = await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/products?limit=1')));

      expect(new Set(good.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      const open = (await Promise.all(slow)).map((ends) => ends.filter((end) => end === null).length);
      expect(Object.fromEntries(SLOWNESSES.map((slowness, n) => [slowness, open[n]]))).toEqual({
        headers: 0,
        body: 0,
        'never reads': 0,
        'reads a little': 0,
      });
      // The API has closed no connection for another reason, such as too many unanswered requests.
      expect((await api.inject({ url: '/metrics' })).body).not.toContain('http_dropped_connections_total{');
    },
    TEST_MS,
  );

  it('serves a client that sends 16 requests at once and reads the answers', async () => {
    const ask = `GET ${largePath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.store.key}\r\n`;

    const response = await sendRaw(port, [`${ask}\r\n`.repeat(15), `${ask}Connection: close\r\n\r\n`], { keep: false });

    expect(response).toMatchObject({ status: 200, closed: true });
  });
});
