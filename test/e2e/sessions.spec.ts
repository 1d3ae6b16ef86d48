import { createApp } from '../../apps/api/src/create-app.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { testConfig } from '../support/test-config.js';

let api: RunningApi;
beforeAll(async () => (api = await startApi({ TRUST_PROXY: '1' })));
afterAll(() => api.stop());

const OWN_PAGE = { 'x-dashboard': 'live', origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' };
const HTTPS = { host: 'shop.example', 'x-forwarded-proto': 'https' };

const ask = (headers: Record<string, string>, url = '/v1/key') => api.inject({ url, headers });
const cookie = (secret: string, mode = 'live') => ({ cookie: `__Host-store-${mode}=${secret}` });
const signedIn = (secret: string) => ({ ...HTTPS, ...OWN_PAGE, ...cookie(secret) });

describe('a session', () => {
  it('is a key of a person, with the scope of the role', async () => {
    const { secret, id, email, name } = await api.store.session('warehouse');

    const { statusCode, body } = await ask(signedIn(secret));

    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      data: { mode: 'live', scope: ['read', 'fulfillment', 'stock'], person: { id, name, email, role: 'warehouse' } },
    });
  });

  it.each<[string, (secret: string) => Record<string, string>]>([
    ['without X-Dashboard', (secret) => ({ ...HTTPS, origin: OWN_PAGE.origin, ...cookie(secret) })],
    ['with X-Dashboard of another word', (secret) => ({ ...signedIn(secret), 'x-dashboard': 'Live' })],
    ['with X-Dashboard of the other mode', (secret) => ({ ...signedIn(secret), 'x-dashboard': 'test' })],
    ['in the cookie of the other mode', (s) => ({ ...signedIn(s), 'x-dashboard': 'test', ...cookie(s, 'test') })],
    ['in a bearer header', (secret) => ({ ...HTTPS, ...OWN_PAGE, authorization: `Bearer ${secret}` })],
    ['beside a bearer header', (secret) => ({ ...signedIn(secret), authorization: 'Bearer x' })],
    ['given twice', (s) => ({ ...signedIn(s), cookie: `__Host-store-live=${s}; __Host-store-live=${s}` })],
    ['without the prefix of the cookie', (s) => ({ ...signedIn(s), cookie: `store-live=${s}` })],
    ['over plain http', (s) => ({ ...signedIn(s), 'x-forwarded-proto': 'http', origin: 'http://shop.example' })],
    ['whose text is a key', () => signedIn(api.store.key)],
  ])('%s returns 401', async (_what, headersOf) => {
    const { secret } = await api.store.session('owner');

    expect((await ask(headersOf(secret))).statusCode).toBe(401);
  });

  it('is named in the words of a person when it has ended or lacks a scope', async () => {
    const { id, secret } = await api.store.session('viewer');
    const errorOf = async (url?: string) => {
      const { statusCode, body } = await api.inject({ url: url ?? '/v1/key', headers: signedIn(secret) });
      return [statusCode, (JSON.parse(body) as { error: string }).error];
    };
    const ended = 'Session has ended: sign in again';

    expect(await errorOf('/v1/keys')).toEqual([403, 'Your role lacks the scope keys']);
    await api.database.query('UPDATE api_keys SET expires_at = now() WHERE person_id = $1', [id]);
    expect(await errorOf()).toEqual([403, ended]);
    await api.database.query('DELETE FROM api_keys WHERE person_id = $1', [id]);
    expect(await errorOf()).toEqual([401, ended]);
  });

  it.each([
    ['the origin of another site', { origin: 'https://evil.example' }],
    ['the origin of plain http', { origin: 'http://shop.example' }],
    ['no origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of the site', { 'sec-fetch-site': 'same-site' }],
    ['an address that a person typed', { 'sec-fetch-site': 'none' }],
  ])('from %s returns 403', async (_what, headers) => {
    const { secret } = await api.store.session('owner');

    const response = await ask({ ...signedIn(secret), ...headers });

    expect([response.statusCode, response.headers['x-error-code']]).toEqual([403, 'foreign_origin']);
  });

  it('is accepted at a host with the port that https implies', async () => {
    const { secret } = await api.store.session('viewer');

    expect((await ask({ ...signedIn(secret), host: 'shop.example:443' })).statusCode).toBe(200);
  });

  describe('with PUBLIC_URL', () => {
    let app: Awaited<ReturnType<typeof createApp>>;
    beforeAll(async () => {
      const { url } = api.database;
      const settings = { DATABASE_URL: url, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '5' };
      app = await createApp(testConfig({ ...settings, PUBLIC_URL: 'https://shop.example', TRUST_PROXY: '2' }), url);
      await app.init();
      await app.getHttpAdapter().getInstance().ready();
    });
    afterAll(() => app.close());

    it.each<[string, Record<string, string>]>([
      [
        'a list of hosts and of schemes',
        { 'x-forwarded-host': 'shop.example, lb.internal', 'x-forwarded-proto': 'https, http' },
      ],
      ['a port in Host', { host: 'shop.example:443', 'x-forwarded-proto': 'https' }],
      ['a host of the network behind', { host: 'api.internal:3000', 'x-forwarded-proto': 'https' }],
      ['Forwarded alone', { host: 'api.internal', forwarded: 'for=203.0.113.7;host=shop.example;proto=https' }],
      ['no header of a proxy', { host: 'api.internal' }],
    ])('is accepted from the page there behind proxies that send %s', async (_what, sent) => {
      const { secret } = await api.store.session('viewer');
      const own = await app.inject({
        url: '/v1/key',
        headers: { ...OWN_PAGE, ...cookie(secret), host: 'x.test', ...sent },
      });
      const foreign = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' };
      const other = await app.inject({
        url: '/v1/key',
        headers: { ...OWN_PAGE, ...cookie(secret), ...sent, ...foreign },
      });

      expect([own.statusCode, other.headers['x-error-code']]).toEqual([200, 'foreign_origin']);
    });
  });

  it('is accepted over plain http on this machine, in a cookie without a prefix', async () => {
    const { secret } = await api.store.session('viewer');
    const headers = { host: 'localhost:3000', origin: 'http://localhost:3000', 'x-dashboard': 'live' };

    expect((await ask({ ...headers, cookie: `store-live=${secret}` })).statusCode).toBe(200);
  });

  it('that ends while it waits for changes is answered like one that is unknown', async () => {
    const { secret, id } = await api.store.session('viewer');
    const { body } = await ask(signedIn(secret), '/v1/changes?cursor=now');
    const { cursor } = JSON.parse(body) as { cursor: string };
    const waiting = ask(signedIn(secret), `/v1/changes?cursor=${encodeURIComponent(cursor)}&wait=3`);
    await new Promise((done) => setTimeout(done, 500));
    await api.database.query('DELETE FROM people WHERE id = $1', [id]);

    const { statusCode, headers } = await waiting;
    expect([statusCode, headers['x-traffic-mode']]).toEqual([401, undefined]);
  });

  it('acts in the history under the name of the person', async () => {
    const { secret, id, name } = await api.store.session('owner');
    const product_id = await api.store.product({ stock: 1 });
    const payload = { items: [{ product_id, quantity: 1 }], customer: { name: 'Grace Hopper' } };
    const placed = await api.inject({ method: 'POST', url: '/v1/orders', headers: signedIn(secret), payload });
    const order = (JSON.parse(placed.body) as { data: { order_id: string } }).data.order_id;

    const history = await ask(signedIn(secret), `/v1/orders/${order}/history`);
    const full = await ask(signedIn(secret), `/v1/orders/${order}`);

    expect(JSON.parse(history.body)).toMatchObject({
      data: [{ actor: { type: 'person', id, name }, event: 'placed' }],
    });
    expect(JSON.parse(full.body)).toMatchObject({ data: { placed_by: { type: 'person', id, name } } });
  });
});
