import { ApiKeysService } from '@app/application';
import { withBundleImporter } from '@app/bundles';
import { DEMO_STORE, demoStore } from '@app/demo-store';
import { DataCipher } from '@app/infrastructure';
import fs from 'node:fs';
import { Demo } from '../../apps/api/src/start/demo.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

it('finishes a first load that was interrupted the day before', async () => {
  const { url } = api.database;
  const yesterday = new Date(new Date().getTime() - 86_400_000);
  await withBundleImporter(url, api.app.get(DataCipher), (importer) =>
    importer.importObjects(demoStore({ now: yesterday })),
  );
  await api.database.query('UPDATE stores SET created_at = $2 WHERE subdomain = $1', [DEMO_STORE, yesterday]);

  expect(await new Demo(api.app, url).loadOnce()).toBe(true);
});

it('takes the order of docs/api.md, and what follows it', async () => {
  const { key } = await api.app.get(ApiKeysService, { strict: false }).create({
    ...{ store: DEMO_STORE, mode: 'test', scope: 'full', networks: [], trusted: false, name: '', expiresAt: null },
  });
  const text = fs.readFileSync('docs/api.md', 'utf8');
  const [, order] = /```json\n(\{\s+"items[^]*?)\n```/.exec(text) ?? [];
  const [transition, payment, refund] = ['field', 'reference": "pi', 'reference": "re'].map(
    (begin) => new RegExp(`\`(\\{"${begin}[^\`]*)\``).exec(text)?.[1] ?? begin,
  );
  const post = async (path: string, payload = '') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const { statusCode, body } = await api.inject({ method: 'POST', url: `/v1/orders${path}`, headers, payload });
    return { statusCode, body };
  };

  const placed = await post('', order);
  const { data } = JSON.parse(placed.body) as { data: { order_id: string } };
  const later = [
    await post(`/${data.order_id}/transitions`, transition),
    await post(`/${data.order_id}/payments`, payment),
    await post(`/${data.order_id}/shipments`, '{"reference":"S-1"}'),
    await post(`/${data.order_id}/refunds`, refund),
  ];

  expect([placed, ...later].map(({ statusCode }) => statusCode)).toEqual([201, 200, 201, 201, 201]);
});
