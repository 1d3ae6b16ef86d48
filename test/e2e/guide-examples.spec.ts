import { readdirSync, readFileSync } from 'node:fs';
import { ApiKeysService, StoreRepository } from '@app/application';
import { withBundleImporter } from '@app/bundles';
import { DEMO_STORE, demoStore } from '@app/demo-store';
import type { ApiKeyScope } from '@app/domain';
import { DataCipher, operator } from '@app/infrastructure';
import { eventually } from '../support/eventually.js';
import { examplesOf, GuideValues, type GuideExample } from '../support/guide-examples.js';
import { startApi, type RunningApi } from '../support/start-api.js';

/** The pages in the sequence in which readers meet them: the examples of a page may continue those of earlier pages. */
const PAGES = [...readFileSync('docs/api.md', 'utf8').matchAll(/\]\((api\/[\w-]+\.md|webhooks\.md)\)/g)].map(
  ([, page]) => `docs/${page}`,
);

/** Statistics count the orders of the demo store by their dates. */
const LOADED = new Date('2026-03-31T12:00:00Z');

describe('the examples of the guide', () => {
  let api: RunningApi;
  const values = new GuideValues();
  const credentials: Record<string, Record<string, string>> = {};

  beforeAll(async () => {
    api = await startApi({ THROTTLE_PER_10S: '0' });
    await withBundleImporter(api.database.url, api.app.get(DataCipher), (importer) =>
      importer.importObjects(demoStore({ now: LOADED })),
    );
    const { id } = await api.app.get(StoreRepository, { strict: false }).require(DEMO_STORE);
    const keyOf = async (name: string, scope: ApiKeyScope) => {
      const rights = { mode: 'test', scope, networks: [], trusted: true, expiresAt: null } as const;
      const maker = { actor: operator(), key: null };
      const { key } = await api.app.get(ApiKeysService, { strict: false }).create(id, { name, ...rights }, maker);
      return { authorization: `Bearer ${key}` };
    };
    const { secret } = await api.store.session('owner');
    credentials['full'] = await keyOf('First test key', 'full');
    credentials['docs/api/charges.md'] = await keyOf('ERP', 'read,orders,fulfillment,pricing');
    credentials['docs/api/keys.md'] = await keyOf('Administration', 'read,orders,sales,keys');
    credentials['docs/api/settings.md'] = await keyOf('Settings', 'read,settings');
    credentials['docs/api/audit.md'] = await keyOf('Audit', 'read,catalog,settings');
    credentials['docs/api/people.md'] = {
      ...{ host: 'localhost', cookie: `store-live=${secret}`, 'x-dashboard': 'live' },
    };
    await eventually(async () => {
      const changes = await ask('GET', '/v1/changes?cursor=now', credentials['full'] ?? {});
      expect(changes.json()).toMatchObject({ has_more: false });
    });
  });
  afterAll(() => api.stop());

  const ask = (method: string, url: string, headers: Record<string, string>, payload = '') =>
    api.app.inject({
      method: method as 'GET',
      url: encodeURI(url),
      headers: payload === '' ? headers : { 'content-type': 'application/json', ...headers },
      payload,
    });

  async function faultsOf(page: string, { place, method, path, headers, body, answer }: GuideExample) {
    const key = credentials[page] ?? credentials['full'] ?? {};
    const response = await ask(method, values.translate(path), { ...key, ...headers }, values.translate(body));
    const different = Object.entries(answer.headers).filter(([name, value]) => {
      return response.headers[name.toLowerCase()] !== values.translate(value);
    });
    return [
      ...(response.statusCode === answer.status ? [] : [`${response.statusCode} ${response.body}`]),
      ...values.differences(answer.body, response.json()),
      ...different.map(([name]) => `${name}: ${String(response.headers[name.toLowerCase()])}`),
    ].map((fault) => `${place} ${fault}`);
  }

  it('are on pages that the index lists', () => {
    expect(PAGES.filter((page) => page.startsWith('docs/api/')).sort()).toEqual(
      readdirSync('docs/api')
        .map((name) => `docs/api/${name}`)
        .sort(),
    );
  });

  it.each(PAGES)('of %s get the answers that the page shows', async (page) => {
    for (const example of examplesOf(page)) expect(await faultsOf(page, example)).toEqual([]);
  });

  it('fail when an answer has another value, lacks a field or a row, or follows no request', () => {
    const answer = { id: 1, rows: [{ name: 'a' }] };

    expect(values.differences({ id: 1, rows: [{ name: 'a' }] }, answer)).toEqual([]);
    expect(values.differences({ id: 2 }, answer)).toEqual(['.id: 1']);
    expect(values.differences({ other: '' }, answer)).toEqual(['.other: undefined']);
    expect(values.differences({ rows: [{ name: 'a' }, {}] }, answer)).toEqual(['.rows: [{"name":"a"}]']);
  });
});
