import { withBundleImporter } from '@app/bundles';
import { DEMO_STORE, demoStore } from '@app/demo-store';
import { DataCipher } from '@app/infrastructure';
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
