import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreMoved } from '@app/application';
import { HAPROXY, startShippedProxy } from '../proof/support/shipped-proxy.js';
import { commandLine } from '../support/command-line.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ADDRESS_OF_B = 'b.shop.example';

interface Body {
  readonly data?: { readonly subdomain: string };
}

const describeWithProxy = spawnSync(HAPROXY, ['-v']).error ? describe.skip : describe;

describeWithProxy('the proxy of docker/haproxy in front of two clusters', () => {
  let a: RunningApi;
  let b: RunningApi;
  let proxy: Awaited<ReturnType<typeof startShippedProxy>>;
  let [keyOfA, keyOfB] = ['', ''];
  const { cli } = commandLine(() => b.database);

  beforeAll(async () => {
    const env = { TRUST_PROXY: '1' };
    [a, b] = await Promise.all([startApi(env), startApi(env)]);
    const created = await cli(['keys', 'create', '--store', b.store.subdomain, '--print-map']);
    const { key, map_line } = created.json as { key: string; map_line: string };
    [keyOfA, keyOfB] = [a.store.key, key];
    const [urlOfA = '', url = ''] = await Promise.all(
      [a, b].map(async ({ app }) => `http://127.0.0.1:${await listen(app)}`),
    );
    const clusters = [`${b.store.subdomain} cluster_b`, `${ADDRESS_OF_B} cluster_b`];
    proxy = await startShippedProxy({ url: urlOfA }, { url, keys: [map_line], clusters });
  });
  afterAll(async () => {
    await proxy.stop();
    await Promise.all([a.stop(), b.stop()]);
  });

  const send = async (url: string, headers: Record<string, string>, method: string) => {
    const sent = request(`${proxy.url}${url}`, { method, headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: (await json(response)) as Body };
  };
  /** Repeats what the proxy refuses itself: on a busy machine, a server is down until its next check. */
  const ask = async (url: string, headers: Record<string, string>, method = 'GET') => {
    for (;;) {
      const answer = await send(url, headers, method);
      if (answer.status !== 503 || 'x-error-code' in answer.headers) return answer;
      await delay(500);
    }
  };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const storeOf = async (headers: Record<string, string>) => {
    const { status, body } = await ask('/v1/store', headers);
    return body.data?.subdomain ?? status;
  };

  it('sends a key of the map to the cluster of its store, at every address', async () => {
    expect(await storeOf(bearer(keyOfB))).toBe(b.store.subdomain);
    expect(await storeOf({ ...bearer(keyOfB), host: 'shop.example' })).toBe(b.store.subdomain);
    expect((await ask('/v1/changes', bearer(keyOfB))).status).toBe(200);
  });

  it('sends any other key to the cluster of the address, and otherwise to the first cluster', async () => {
    expect(await storeOf(bearer(keyOfA))).toBe(a.store.subdomain);
    expect(await storeOf(bearer(b.store.key))).toBe(401);
    expect(await storeOf({ ...bearer(b.store.key), host: ADDRESS_OF_B })).toBe(b.store.subdomain);

    const added = createHash('sha256').update(b.store.key).digest('hex');
    await proxy.command(`add map @/keys.map ${added} ${b.store.subdomain}`);
    expect(await storeOf(bearer(b.store.key))).toBe(b.store.subdomain);
  });

  it('sends a session to the cluster of the address', async () => {
    const { secret } = await b.store.session('viewer');
    const session = { 'x-dashboard': 'live', cookie: `__Host-store-live=${secret}` };

    expect(await storeOf({ ...session, host: `${ADDRESS_OF_B.toUpperCase()}:8443` })).toBe(b.store.subdomain);
    expect(await storeOf({ ...session, host: 'shop.example' })).toBe(401);
  });

  it('refuses the writes of a store that moves as the service does, and then sends its keys to the other cluster', async () => {
    const isAt = (cluster: string) => proxy.command(`set map @/clusters.map ${b.store.subdomain} ${cluster}`);
    await isAt('moving/cluster_b');
    const refused = await ask('/v1/orders', bearer(keyOfB), 'POST');

    const { code, message } = new StoreMoved();
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'x-error-code': code },
      body: { success: false, error: message, code },
    });
    expect(await storeOf(bearer(keyOfB))).toBe(b.store.subdomain);

    await isAt('api');
    expect(await storeOf(bearer(keyOfB))).toBe(401);
    expect((await ask('/v1/changes', bearer(keyOfB))).status).toBe(401);
  });
});
