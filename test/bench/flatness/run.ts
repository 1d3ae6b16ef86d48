import http from 'node:http';
import { parseArgs } from 'node:util';
import { Rig } from '../../proof/support/rig.js';
import { POSTGRES_SETTINGS, printRun, PRODUCTION, verdictOf, type Table } from '../report.js';
import { seedStore, settle, type SeededStore } from '../stores/seed-store.js';
import { makeHeld, makeRare, requestsOf, type FlatRequest, type Kind } from './requests.js';

// npm run bench -- flat [--quick]: one client, the same requests to each store. --quick skips the largest store.

const SEED = 1;
const METHOD =
  'Median milliseconds of one client that sends requests sequentially; a tenth as many products as orders, half as many ' +
  'customers.';

const SIZES = [10_000, 100_000, 1_000_000];
const GOALS: Record<Kind, number> = { 'first page': 1.5, 'deep page': 3, search: 3, one: 1.5 };
const WARM_UP = 60;
const MEASURED = 300;

interface FlatRow {
  readonly name: string;
  readonly kind: Kind;
  readonly medians: number[];
}

const say = (text: string) => process.stderr.write(`${text}\n`);
const { values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean', default: false } } });
const sizes = values.quick ? SIZES.slice(0, -1) : SIZES;

const rows = new Map<string, FlatRow>();
for (const orders of sizes) {
  const rig = await Rig.open(POSTGRES_SETTINGS);
  try {
    say(`Loading ${orders} orders, ${orders / 10} products, ${orders / 2} customers`);
    const store = await seedStore(rig.database, orders, SEED);
    await makeRare(rig.database, store.id);
    await makeHeld(rig.database, store.id);
    await settle(rig.database);
    const requests = await requestsOf(rig.database, store.id);
    await measureAll(rig, store, requests);
    if (orders !== sizes.at(-1)) continue;
    await printRun(rig.database, METHOD, flatTable([...rows.values()]));
  } finally {
    await rig.close();
  }
}

async function measureAll(rig: Rig, store: SeededStore, requests: readonly FlatRequest[]): Promise<void> {
  const service = await rig.startService({ env: PRODUCTION });
  // A warm-up round precedes, so that no request pays for one-time costs.
  for (const { path } of requests) await medianLatency(service.url + path, store.key);
  for (const { name, kind, path } of requests) {
    const row = rows.get(name) ?? { name, kind, medians: [] };
    row.medians.push(await medianLatency(service.url + path, store.key));
    rows.set(name, row);
  }
  await service.kill();
}

async function medianLatency(url: string, key: string): Promise<number> {
  const authorization = `Bearer ${key}`;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  try {
    for (let n = 0; n < WARM_UP + MEASURED; n++) {
      const start = performance.now();
      await ask(url, { authorization }, agent);
      if (n >= WARM_UP) times.push(performance.now() - start);
    }
  } finally {
    agent.destroy();
  }
  return times.sort((a, b) => a - b)[MEASURED / 2] ?? NaN;
}

function ask(url: string, headers: http.OutgoingHttpHeaders, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers }, (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${url}: ${response.statusCode}`));
        });
      })
      .on('error', reject);
  });
}

function flatTable(rows: readonly FlatRow[]): Table {
  const sizes = SIZES.slice(0, rows[0]?.medians.length).map((size) => `${size.toLocaleString('en')} orders`);
  const firstPage = rows.find(({ name }) => name === 'orders')?.medians ?? [];
  return [
    ['p50 in ms', ...sizes, 'growth', 'goal'],
    ...rows.map(({ name, kind, medians }) => {
      // A deep page is compared with the first page of the same store, everything else with the smallest store.
      const isDeep = kind === 'deep page';
      const growths = medians.map((median, size) => median / ((isDeep ? firstPage[size] : medians[0]) ?? NaN));
      const growth = isDeep ? Math.max(...growths) : (growths.at(-1) ?? NaN);
      return [
        name,
        ...medians.map((median) => median.toFixed(2)),
        `${growth.toFixed(2)} ×${isDeep ? ' of page 1' : ''}`,
        verdictOf(growth, { atMost: GOALS[kind] }, ' ×'),
      ];
    }),
  ];
}
