import { withBundleImporter } from '@app/bundles';
import { demoStore } from '@app/demo-store';
import type { Role } from '@app/domain';
import { DataCipher } from '@app/infrastructure';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { BROWSER } from './chromium.js';
import { listen } from './listen.js';
import { startApi, type RunningApi } from './start-api.js';

/** A page of a person who is signed in, and what went wrong in it. */
export interface Desk {
  readonly page: Page;
  /** Reports of the policy, errors of the script, and requests to other hosts. */
  readonly trouble: string[];
  open(this: void, address: string): Promise<void>;
}

export interface DashboardScene {
  readonly api: RunningApi;
  readonly origin: string;
  /** Without variants, and the one with the most units. */
  readonly product: number;
  desk(role: Role, options?: BrowserContextOptions): Promise<Desk>;
  stop(): Promise<void>;
}

/** A listening API whose store has the catalog, customers and orders of the demo store, and a browser. */
export async function dashboardScene(): Promise<DashboardScene> {
  const api = await startApi();
  const origin = `http://127.0.0.1:${await listen(api.app)}`;
  const { subdomain } = api.store;
  const lines = demoStore({ now: new Date() }).map((line) => ({
    ...line,
    ...(line.kind === 'store' ? { subdomain } : { store: subdomain }),
  }));
  await withBundleImporter(api.database.url, api.app.get(DataCipher), (importer) => importer.importObjects(lines));
  const [most] = await api.database.query<{ product_id: number }>(
    `SELECT product_id FROM stock WHERE store_id = $1 AND variant_id IS NULL
     GROUP BY product_id ORDER BY sum(quantity) DESC LIMIT 1`,
    [api.store.id],
  );
  const browser: Browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  return {
    api,
    origin,
    product: most?.product_id ?? 0,
    desk: async (role, options) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
      for (const mode of ['live', 'test'] as const) {
        const { secret } = await api.store.session(role, { mode });
        const attributes = { url: origin, httpOnly: true, sameSite: 'Strict' } as const;
        await context.addCookies([{ name: `store-${mode}`, value: secret, ...attributes }]);
      }
      const page = await context.newPage();
      const trouble: string[] = [];
      page.on('console', (message) => {
        // An answer that is a refusal is no fault of the page.
        const isRefusal = message.text().startsWith('Failed to load resource');
        if (['error', 'warning'].includes(message.type()) && !isRefusal) trouble.push(message.text());
      });
      page.on('pageerror', (error) => trouble.push(error.message));
      page.on('request', (request) => {
        if (!/^data:/.test(request.url()) && !request.url().startsWith(`${origin}/`)) trouble.push(request.url());
      });
      const open = async (address: string) => {
        await page.goto(`${origin}/dashboard/${address}`);
        await page.locator('h1').waitFor();
        for (const late of ['.waiting', '[data-stale=true]'])
          await page.locator(late).first().waitFor({ state: 'detached' });
      };
      return { page, trouble, open };
    },
    stop: async () => {
      await browser.close();
      await api.stop();
    },
  };
}
