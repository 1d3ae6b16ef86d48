import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { withBundleImporter } from '@app/bundles';
import { demoStore } from '@app/demo-store';
import type { Role } from '@app/domain';
import { DataCipher } from '@app/infrastructure';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { codeIn } from './browser.js';
import { BROWSER } from './chromium.js';
import { eventually } from './eventually.js';
import { listen } from './listen.js';
import { startApi, type RunningApi } from './start-api.js';

const MAX_LINE_PX = 800;
const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** Columns that cannot be seen, dialogs that scroll sideways, buttons that do not name their row, lines that are hard to read, and parts of a table that some browsers take for none. */
const LAYOUT_FAULTS = `(() => {
  const faults = [];
  const overhang = document.documentElement.scrollWidth - window.innerWidth;
  if (overhang > 0) faults.push(overhang + ' px too wide');
  const nameOf = ({ tagName, className, textContent }) => [tagName, className, textContent.slice(0, 40)].join(' ');
  for (const element of document.querySelectorAll('main *')) {
    const { display, overflowX } = getComputedStyle(element);
    const isCut = element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
    const mayScroll = element.tagName !== 'DIALOG' && !/hidden|clip/.test(overflowX);
    if (isCut && element.tagName !== 'INPUT' && !mayScroll) faults.push('cut: ' + nameOf(element));
    const isOfRow = element.matches('tr button:not(dialog *), .rows button:not(dialog *)');
    if (isOfRow && !element.ariaLabel) faults.push('does not name its row: ' + nameOf(element));
    const isPart = /^(TABLE|THEAD|TBODY|TFOOT|TR|TH|TD)$/.test(element.tagName);
    if (isPart && !display.startsWith('table') && !element.role) faults.push('without a role: ' + nameOf(element));
    for (const text of [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)) {
      const range = document.createRange();
      range.selectNode(text);
      const width = Math.max(0, ...[...range.getClientRects()].map((line) => line.width));
      if (width > ${MAX_LINE_PX} && element.tagName !== 'H1') faults.push('a line of ' + width + ' px: ' + nameOf(element));
    }
  }
  return faults;
})()`;

/** The limit is shorter than that of a test, whose message would not say what is missing. */
const TIMEOUT_MS = 20_000;

export const describeInBrowser: typeof describe.skip = BROWSER ? describe : describe.skip;
if (!BROWSER) process.stderr.write('The dashboard is not tested: no Chromium here; name one with CHROMIUM.\n');

/** A page of a person who is signed in, and what went wrong in it. */
export interface Desk {
  readonly page: Page;
  /** Reports of the policy, errors of the script, and requests to other hosts. */
  readonly trouble: string[];
  /** Resolves when all of it is there. */
  open(this: void, address: string): Promise<void>;
  /** Waits, after a link or a key, for the page that it leads to. */
  settled(this: void): Promise<void>;
  /** Returns what axe finds, each with its first element, and what `LAYOUT_FAULTS` reports. */
  faults(this: void): Promise<string[]>;
}

export interface DashboardScene {
  readonly api: RunningApi;
  readonly origin: string;
  /** The settings of the API, for another process on its database. */
  readonly env: Readonly<Record<string, string>>;
  /** The product without variants that has the most units. */
  readonly product: number;
  /** @param role the role of the session; without one, nobody is signed in. */
  desk(role?: Role, options?: BrowserContextOptions): Promise<Desk>;
  /** Returns the code from the newest mail to the address, once this many have arrived. */
  mailedCode(email: string, mails?: number): Promise<string>;
  stop(): Promise<void>;
}

/** A listening API whose store has the catalog, customers and orders of the demo store, and a browser. */
export async function dashboardScene(more: Record<string, string> = {}): Promise<DashboardScene> {
  const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'store-commerce-dashboard-'));
  const api = await startApi({ DATA_DIR, PIPELINE: 'inline', ...more });
  const port = more['PUBLIC_URL'] ? Number(new URL(more['PUBLIC_URL']).port) : 0;
  const origin = `http://127.0.0.1:${await listen(api.app, port)}`;
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
    env: { DATA_DIR, DATABASE_URL: api.database.url },
    product: most?.product_id ?? 0,
    desk: async (role, options) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
      context.setDefaultTimeout(TIMEOUT_MS);
      for (const mode of role ? (['live', 'test'] as const) : []) {
        const { secret } = await api.store.session(role ?? 'viewer', { mode });
        const attributes = { url: origin, httpOnly: true, sameSite: 'Strict' } as const;
        await context.addCookies([{ name: `store-${mode}`, value: secret, ...attributes }]);
      }
      const page = await context.newPage();
      const trouble: string[] = [];
      page.on('console', (message) => {
        // A refused request is not a fault of the page.
        const isRefusal = message.text().startsWith('Failed to load resource');
        if (['error', 'warning'].includes(message.type()) && !isRefusal) trouble.push(message.text());
      });
      page.on('pageerror', (error) => trouble.push(error.message));
      page.on('request', (request) => {
        if (!/^data:/.test(request.url()) && !request.url().startsWith(`${origin}/`)) trouble.push(request.url());
      });
      const settled = async () => {
        // An address of the same document is rendered a frame later: until then, the previous page is still there.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        await page.locator('h1').waitFor();
        for (const late of ['.waiting', '[data-stale=true]'])
          await page.locator(late).first().waitFor({ state: 'detached' });
      };
      const open = async (address: string) => {
        await page.goto(`${origin}/dashboard/${address}`);
        await settled();
      };
      const faults = async () => {
        // The script runs outside the page, which permits no script but its own.
        if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
        // With this option, axe describes one element per rule that passes, instead of all.
        const found = await page.evaluate<string[]>(
          'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id} ${nodes[0].target}`))',
        );
        return [...found, ...(await page.evaluate<string[]>(LAYOUT_FAULTS))];
      };
      return { page, trouble, open, settled, faults };
    },
    mailedCode: async (email, mails = 1) => {
      const folder = path.join(DATA_DIR, 'mail');
      let codes: string[] = [];
      await eventually(() => {
        const files = readdirSync(folder)
          .filter((name) => name.endsWith('.eml'))
          .map((name) => path.join(folder, name))
          .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
        const texts = files.map((file) => readFileSync(file, 'utf8')).filter((text) => text.includes(email));
        codes = texts.map(codeIn).filter(Boolean);
        expect(codes).toHaveLength(mails);
      });
      return codes.at(-1) ?? '';
    },
    stop: async () => {
      await browser.close();
      await api.stop();
      rmSync(DATA_DIR, { recursive: true });
    },
  };
}
