import { existsSync } from 'node:fs';
import { withBundleImporter } from '@app/bundles';
import { demoStore } from '@app/demo-store';
import { DataCipher } from '@app/infrastructure';
import type { ApiKeyMode, Role } from '@app/domain';
import type { BrowserContext } from 'playwright-core';
import { listen } from './listen.js';
import { startApi, type RunningApi } from './start-api.js';

export const BROWSER = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

export interface DashboardScene {
  readonly api: RunningApi;
  readonly origin: string;
  /** Puts a session of the role into the browser, as a sign-in does. */
  signIn(context: BrowserContext, role: Role): Promise<void>;
}

/** A listening API with a store that has the catalog, customers and orders of the demo store. */
export async function dashboardScene(): Promise<DashboardScene> {
  const api = await startApi();
  const origin = `http://127.0.0.1:${await listen(api.app)}`;
  await withBundleImporter(api.database.url, api.app.get(DataCipher), (importer) =>
    importer.importObjects(demoStore({ now: new Date(), subdomain: api.store.subdomain })),
  );
  const signIn: DashboardScene['signIn'] = async (context, role) => {
    for (const mode of ['live', 'test'] satisfies ApiKeyMode[]) {
      const { secret } = await api.store.session(role, { mode });
      await context.addCookies([
        { name: `store-${mode}`, value: secret, url: origin, httpOnly: true, sameSite: 'Strict' },
      ]);
    }
  };
  return { api, origin, signIn };
}
