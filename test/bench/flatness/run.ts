import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Rig } from '../../proof/support/rig.js';
import { POSTGRES_SETTINGS, printRun } from '../report.js';
import { seedStore, settle, type SeededStore } from '../stores/seed-store.js';
import { medianLatency } from './latency.js';
import { planFaults } from './plans.js';
import { makeHeld, makeRare, requestsOf, type FlatRequest } from './requests.js';
import { flatTable, SIZES, type FlatRow } from './table.js';

// Measures whether the time of a request grows with the store: npm run bench -- flat [--quick]
// One client sends the same requests to stores of 10,000, 100,000 and 1,000,000 orders; then it checks the plans in the
// largest. --quick skips the largest store.

const SEED = 1;
const METHOD =
  'Median milliseconds of one client that sends requests sequentially; a tenth as many products as orders, half as many ' +
  'customers. No plan in the largest store scans a whole large table or sorts more than a page, unless noted.';

interface OwnApp {
  inject(options: { url: string; headers: Record<string, string> }): Promise<{ statusCode: number }>;
  close(): Promise<void>;
}

const say = (text: string) => process.stderr.write(`${text}\n`);
const { values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean', default: false } } });
const sizes = values.quick ? SIZES.slice(0, -1) : SIZES;

const rows = new Map<string, FlatRow & { medians: number[]; faults: string[] }>();
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
    await checkPlans(rig.database.url, store, requests);
    await printRun(rig.database, METHOD, flatTable([...rows.values()]));
  } finally {
    await rig.close();
  }
}

async function measureAll(rig: Rig, store: SeededStore, requests: readonly FlatRequest[]): Promise<void> {
  const env = { NODE_ENV: 'production', DATA_ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
  const service = await rig.startService({ env });
  // One warm-up round, so that no request pays for one-time costs.
  for (const { path } of requests) await medianLatency(service.url + path, store.key);
  for (const { name, kind, path } of requests) {
    const row = rows.get(name) ?? { name, kind, medians: [], faults: [] };
    row.medians.push(await medianLatency(service.url + path, store.key));
    rows.set(name, row);
  }
  await service.kill();
}

async function checkPlans(url: string, store: SeededStore, requests: readonly FlatRequest[]): Promise<void> {
  say('Checking the plans');
  const app = await startHere(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET plan_cache_mode = force_generic_plan');
  try {
    for (const { name, path } of requests) {
      const faults = await planFaults(client, async () => {
        const { statusCode } = await app.inject({ url: path, headers: { authorization: `Bearer ${store.key}` } });
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      });
      rows.get(name)?.faults.push(...faults);
    }
  } finally {
    await client.end();
    await app.close();
  }
}

/** Starts the build in this process. */
async function startHere(url: string): Promise<OwnApp> {
  const dist = (file: string) => import(path.resolve(import.meta.dirname, '../../../dist', file)) as Promise<never>;
  const { Config } = (await dist('libs/infrastructure/src/index.js')) as { Config: new (env: object) => object };
  const { createApp } = (await dist('apps/api/src/create-app.js')) as {
    createApp: (config: object, url: string) => Promise<OwnApp & { init(): Promise<unknown> }>;
  };
  // Any key: nothing is encrypted, and a key file would go to the developer's `.data`.
  const DATA_ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');
  const app = await createApp(new Config({ DATABASE_URL: url, DATA_ENCRYPTION_KEYS, LOG_LEVEL: 'silent' }), url);
  await app.init();
  return app;
}
