import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { createSession } from '../../builders/store-fixture.js';
import { Rig } from '../../proof/support/rig.js';
import { BROWSER } from '../../support/chromium.js';
import { seededRandom } from '../../support/seeded-random.js';
import { CpuTime } from '../cpu-time.js';
import { orderOf } from '../driver/driver.js';
import { makeHeld } from '../flatness/requests.js';
import { POSTGRES_SETTINGS, printRun, PRODUCTION, spreadOf, spreadText, verdictOf, type Goal } from '../report.js';
import { seedStore, settle } from '../stores/seed-store.js';
import { HIDE, scrollPages, WHEN_USABLE } from './in-page.js';

// npm run bench -- dashboard [--quick]: the dashboard in Chromium, and what it costs the API.

const { values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean', default: false } } });
const [ORDERS, SECONDS, PAGES] = values.quick ? [20_000, 10, 20] : [1_000_000, 60, 200];
const RELOADS = 10;
const OPENED = 20;
const ASKED = 100;
/** Orders per second, while they arrive. */
const RATE = 10;
const SEED = 1;
const ROWS_OF_PAGE = 50;
const TIMEOUT_MS = 20_000;
const METHOD =
  `A store of ${ORDERS.toLocaleString('en')} orders, with a worker; the browser shares the machine with the service. CPU ` +
  `time is that of the API and PostgreSQL, and less than 10 ms of it is not seen.`;

const say = (text: string) => process.stderr.write(`${text}\n`);
if (!BROWSER) throw new Error('There is no Chromium here; name one with CHROMIUM');
const rig = await Rig.open(POSTGRES_SETTINGS);
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void rig.close().finally(() => process.exit(130)));
}

say(`Loading ${ORDERS} orders`);
const store = await seedStore(rig.database, ORDERS, SEED);
await makeHeld(rig.database, store.id);
await settle(rig.database);
const [api] = await Promise.all([rig.startService({ env: PRODUCTION }), rig.startWorker({ env: PRODUCTION })]);
const cpuTime = new CpuTime(rig);
const random = seededRandom(SEED);
let placed = 0;
let refused = 0;
const { secret } = await createSession(rig.database, store.id, 'owner');
const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
context.setDefaultTimeout(TIMEOUT_MS);
await context.addCookies([{ name: 'store-live', value: secret, url: api.url, httpOnly: true, sameSite: 'Strict' }]);
await context.addInitScript(WHEN_USABLE);

try {
  const alone = { idle: await watch([]), busy: await watch([], RATE) };
  const rows = [...(await reloads()), ...(await scrolled()), ...(await minutes(alone))];
  const method = `${METHOD} ${placed} orders were placed, ${refused} of them refused.`;
  await printRun(rig.database, method, [['measured', 'found (min–max)', 'without the dashboard', 'goal'], ...rows]);
} finally {
  await browser.close();
  await rig.close();
}
process.exit();

async function openTab(address = '#/orders'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${api.url}/dashboard/${address}`);
  await page.evaluate('usable');
  return page;
}

/** The goal applies to the worst of the results. */
function rowOf(title: string, found: readonly number[], unit: string, reference: string, goal: Goal | null): string[] {
  const spread = spreadOf(found);
  const text = found.length > 1 ? spreadText(spread, unit) : `${spread.median.toFixed(0)}${unit}`;
  return [title, text, reference, verdictOf(spread.max, goal, unit)];
}

async function cpuOf(times: number, act: (n: number) => Promise<unknown>): Promise<number> {
  const before = cpuTime.of(api.pid) ?? NaN;
  for (let n = 0; n < times; n++) await act(n);
  return ((cpuTime.of(api.pid) ?? NaN) - before) / times;
}

async function reloads(): Promise<string[][]> {
  say('Reloading Orders, opening orders');
  const authorization = `Bearer ${store.key}`;
  const list = `${api.url}/v1/orders?limit=${ROWS_OF_PAGE}`;
  const pageOfOrders = async () => (await fetch(list, { headers: { authorization } })).json();
  await cpuOf(ASKED, pageOfOrders);
  const reference = await cpuOf(ASKED, pageOfOrders);
  const compared = (cpu: number) =>
    `${(cpu / reference).toFixed(1)} × GET /v1/orders?limit=${ROWS_OF_PAGE} (${reference.toFixed(1)} ms)`;
  const page = await openTab();
  const times: number[] = [];
  const reload = async () => {
    await page.reload({ waitUntil: 'commit' });
    times.push(await page.evaluate<number>('usable'));
    for (const text of ['it accepts', '']) await page.locator('#search').fill(text);
    await page.getByText('Live', { exact: true }).waitFor();
  };
  await reload();
  times.length = 0;
  const ofReload = await cpuOf(RELOADS, reload);
  const receipts = await page.locator('[data-row] a').allTextContents();
  const ofOrder = await cpuOf(OPENED, async (n) => {
    await page.evaluate(`location.hash = '/orders/${receipts[n]}'`);
    await page.getByRole('heading', { name: receipts[n], exact: true }).waitFor();
    await page.getByRole('region', { name: 'Lines', exact: true }).waitFor();
    await page.locator('.waiting').first().waitFor({ state: 'detached' });
  });
  await page.close();
  return [
    rowOf('a reload of Orders, until its rows and the search are there', times, ' ms', '–', { atMost: 500 }),
    rowOf('CPU time of a reload of Orders', [ofReload], ' ms', compared(ofReload), null),
    rowOf('CPU time of an order that is opened', [ofOrder], ' ms', compared(ofOrder), null),
  ];
}

async function scrolled(): Promise<string[][]> {
  say(`Scrolling ${PAGES} pages`);
  const page = await openTab('#/orders?queue=all');
  const frames = await page.evaluate<number[]>(scrollPages(PAGES));
  await page.close();
  const title = `the longest frame of each of ${PAGES} pages of ${ROWS_OF_PAGE} orders, scrolled and turned`;
  return [rowOf(title, frames, ' ms', '–', { atMost: 100 })];
}

interface Watched {
  /** Milliseconds of CPU per minute. */
  readonly cpu: number;
  /** Requests per minute, for each tab. */
  readonly requests: readonly number[];
  readonly polls: readonly number[];
}

async function watch(tabs: readonly Page[], rate = 0): Promise<Watched> {
  const counts = tabs.map((tab) => {
    const count = { requests: 0, polls: 0 };
    tab.on('request', (request) => count[request.url().includes('/v1/changes') ? 'polls' : 'requests']++);
    return count;
  });
  const cpu = await cpuOf(1, () => (rate > 0 ? placeOrders(rate) : delay(SECONDS * 1_000)));
  for (const tab of tabs) tab.removeAllListeners('request');
  const aMinute = (count: number) => (count * 60) / SECONDS;
  return {
    cpu: aMinute(cpu),
    requests: counts.map(({ requests }) => aMinute(requests)),
    polls: counts.map(({ polls }) => aMinute(polls)),
  };
}

/** Places orders at the rate, whether or not answers arrive. */
async function placeOrders(rate: number): Promise<void> {
  const headers = { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' };
  const items = [{ product_id: store.hotProductId }];
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < SECONDS * rate; n++) {
    await delay(Math.max(0, start + (n * 1_000) / rate - performance.now()));
    const body = JSON.stringify(orderOf({ kind: 'orders', items, lines: 1 }, 'dashboard', ++placed, random));
    const place = async () => {
      const response = await fetch(`${api.url}/v1/orders`, { method: 'POST', headers, body });
      if (response.status !== 201) refused++;
      await response.arrayBuffer();
    };
    sent.push(place());
  }
  await Promise.all(sent);
}

async function minutes(alone: { readonly idle: Watched; readonly busy: Watched }): Promise<string[][]> {
  say('Watching tabs');
  const page = await openTab();
  const idle = await watch([page]);
  const busy = await watch([page], RATE);
  const second = await openTab();
  await second.evaluate(HIDE);
  const both = await watch([page, second], RATE);
  await page.evaluate(HIDE);
  const hidden = await watch([page]);
  const goal = { atMost: 60 };
  const requests = (title: string, { requests, polls }: Watched, tab = 0) =>
    rowOf(`requests a minute of ${title}`, [requests[tab] ?? NaN], '', `and ${polls[tab]} of the feed`, goal);
  const cpu = (title: string, found: Watched, without: Watched) => {
    const reference = `${without.cpu.toFixed(0)} ms: ${(found.cpu / without.cpu).toFixed(2)} ×`;
    return rowOf(`CPU time a minute ${title}`, [found.cpu], ' ms', reference, null);
  };
  const arriving = `${RATE} orders a second arrive`;
  return [
    requests('a tab at rest', idle),
    requests('a hidden tab', hidden),
    requests(`a tab while ${arriving}`, busy),
    requests(`a hidden tab next to it while ${arriving}`, both, 1),
    cpu('with a tab at rest', idle, alone.idle),
    cpu(`with a tab while ${arriving}`, busy, alone.busy),
  ];
}
