import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seededRandom } from '../support/seeded-random.js';
import { Rig } from '../proof/support/rig.js';
import { Driver } from './support/drive.js';
import { checkOrders } from './support/check-orders.js';
import { createKey } from '../builders/store-fixture.js';
import { describeMachine } from './support/machine.js';
import { measure, type Measurement, type Pace } from './support/measure.js';
import { ReferenceServer } from './support/reference-server.js';
import { checkSameAnswers } from './support/same-answers.js';
import { MEASURED, seed, TWIN, type Sizes } from './support/seed.js';
import { printSpeed } from './support/print.js';
import { works, type Work } from './works.js';

// Measures the service against the reference: tsx test/bench/run.ts [--quick] [--json FILE] [--only W1,W3] [--seed N]
// The build is the caller's business (npm run does it).

const FULL: Sizes = { orders: 100_000, products: 10_000, customers: 50_000 };
const QUICK: Sizes = { orders: 20_000, products: 2_000, customers: 10_000 };
const FULL_PACE: Pace = { rounds: 3, seconds: 8, warmUpSeconds: 3 };
const QUICK_PACE: Pace = { rounds: 3, seconds: 1, warmUpSeconds: 1 };

/** As an operator would set them on a machine of this size; durability is on, see `startDurablePostgres`. */
const POSTGRES = { shared_buffers: '1GB', max_wal_size: '4GB', checkpoint_timeout: '30min' };

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const [sizes, pace] = options.quick ? [QUICK, QUICK_PACE] : [FULL, FULL_PACE];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const rig = await Rig.open(POSTGRES);
const driver = new Driver();
let reference: ReferenceServer | null = null;
try {
  say(
    `Loading ${sizes.orders} orders, ${sizes.products} products, ${sizes.customers} customers, and nine smaller stores`,
  );
  await seed(rig.database, sizes, Number(options.seed), new Date());
  const machine = await describeMachine(rig.database);
  const keys = {
    ours: await createKey(rig.database, MEASURED, 'live'),
    twin: await createKey(rig.database, TWIN, 'live'),
  };

  reference = await ReferenceServer.start(rig.database.url);
  const service = await rig.startService({ env: PRODUCTION() });
  const chosen = (await works(rig.database, sizes, seededFraction(Number(options.seed)))).filter(isChosen);
  const speed: Measurement[] = [];
  for (const work of chosen) {
    say(`${work.name} ${work.title}`);
    const ours = { url: service.url, key: keys.ours };
    const theirs = { url: reference.url, key: work.orders ? keys.twin : keys.ours };
    await checkSameAnswers(work, ours, theirs);
    speed.push(await measure(driver, work, ours, theirs, pace));
  }
  const orders = await checkOrders(rig.database, speed);
  const results = {
    date: new Date().toISOString(),
    quick: options.quick,
    seed: Number(options.seed),
    sizes,
    machine,
    speed,
    orders,
  };
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  printSpeed(speed, orders);
} finally {
  driver.stop();
  await reference?.stop();
  await rig.close();
}

function isChosen({ name }: Work): boolean {
  return options.only === undefined || options.only.split(',').includes(name);
}

function PRODUCTION(): Record<string, string> {
  return { NODE_ENV: 'production', DATA_ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64') };
}

function seededFraction(seedNumber: number): () => number {
  const random = seededRandom(seedNumber);
  return () => random(1_000_000) / 1_000_000;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
