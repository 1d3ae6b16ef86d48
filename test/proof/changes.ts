import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StoreFixture } from '../builders/store-fixture.js';
import type { FeedEntry } from '../support/feed-reader.js';
import { WRONG_ORDER_SUMS } from '../support/order-sums.js';
import { differencesOf } from './changes/compare.js';
import { Follower } from './changes/follower.js';
import { Writers } from './changes/writers.js';
import { operate } from './support/cli.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { databaseOn } from './support/rig.js';
import { openShop, type Shop } from './support/shop.js';

// A feed that waits for the open transaction comes 60 s late. On 2 busy cores the slowest of 100 changes took 0.8 to 2.1 s.
const FULL = { writers: 40, followers: 12, openMs: 60_000, rounds: 20, mostLagMs: 5_000 };
/** The limits allow for a busy machine. */
const QUICK = { writers: 12, followers: 6, openMs: 2_000, rounds: 1, mostLagMs: 10_000 };

/** The pause between two measurements of the lag, and how long to wait for a change that does not arrive. */
const [LAG_PAUSE_MS, LAG_PATIENCE_MS] = [200, 20_000];

export const changes: Proof = { name: 'changes', run };

interface Scene extends Shop {
  readonly followers: readonly Follower[];
}

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, random } = context;
  const size = form === 'full' ? FULL : QUICK;
  const shop = await openShop(context, 8, [1_000_000, 1_000_000]);
  const { store, services } = shop;
  for (let n = 0; n < 5; n++) await store.category();
  for (let n = 0; n < 3; n++) await store.brand();
  await store.bin(await store.warehouse());
  const followers = Array.from({ length: size.followers }, (_, n) => {
    const address = services[n % 2]?.url ?? '';
    return new Follower({ name: `reader ${n}`, key: store.key, address, random });
  });
  const scene: Scene = { ...shop, followers };
  const writers = new Writers(shop, size.writers);

  const lags = await besideOpenTransaction(scene, size.openMs);
  const slowestMs = Math.round(Math.max(...lags));
  const violations = slowestMs > size.mostLagMs ? [`a change came after ${slowestMs} ms`] : [];
  await killAndRestart(scene, size.rounds);
  await writers.stop();
  violations.push(...(await settle(scene)));
  if (form === 'full') violations.push(...(await moveToCopy(scene)));
  violations.push(...followers.flatMap((follower) => follower.violations));

  const pages = followers.reduce((sum, follower) => sum + follower.pages, 0);
  const figures =
    `${writers.committed} transactions and orders committed; ${followers.length} readers read ${pages} pages; lag beside ` +
    `the open transaction at most ${slowestMs} ms, over ${lags.length} changes`;
  return { figures, violations };
}

async function besideOpenTransaction(scene: Scene, openMs: number): Promise<number[]> {
  const { context, followers } = scene;
  const open = new pg.Client({ connectionString: context.rig.database.url });
  await open.connect();
  // The transaction has an id and a snapshot: nothing after it is older than the oldest transaction.
  await open.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()');
  const measured = measureLags(scene, openMs);
  for (const follower of followers) {
    follower.start();
    await delay(context.random(openMs / (2 * followers.length)));
  }
  const lags = await measured;
  await open.query('COMMIT');
  await open.end();
  return lags;
}

/** Adds brands, which no writer deletes. @returns the milliseconds from each commit until a reader has the change. */
async function measureLags({ context, store, services }: Shop, milliseconds: number): Promise<number[]> {
  const seen = new Map<string, () => void>();
  const times: number[] = [];
  const { database } = context.rig;
  const onEntry = ({ kind, id }: FeedEntry) => seen.get(`${kind} ${id}`)?.();
  const { random } = context;
  const at = { name: 'the reader of the lag', key: store.key, address: services[0].url };
  const reader = new Follower({ ...at, random, keepsUp: true, onEntry }).start();
  for (const end = Date.now() + milliseconds; Date.now() < end; await delay(LAG_PAUSE_MS)) {
    const next = `SELECT nextval(pg_get_serial_sequence('brands', 'id')) AS id`;
    const [{ id = '' } = {}] = await database.query<{ id: string }>(next);
    const arrived = new Promise<void>((resolve) => seen.set(`brands ${id}`, resolve));
    const insert = `INSERT INTO brands (store_id, id, slug, name) VALUES ($1, $2, $3, 'lag')`;
    await database.query(insert, [store.id, id, `lag-${id}`]);
    const committed = performance.now();
    await Promise.race([arrived, delay(LAG_PATIENCE_MS)]);
    times.push(performance.now() - committed);
  }
  await reader.stop();
  return times;
}

async function killAndRestart({ context }: Scene, rounds: number): Promise<void> {
  const { rig, random, form } = context;
  let worker = await rig.startWorker();
  for (let n = 0; n < rounds; n++) {
    await delay(500 + random(1_500));
    if (form === 'full') {
      await rig.server?.kill();
      await delay(random(500));
      await rig.server?.start();
      await delay(random(500));
    }
    await worker.kill();
    // The readers number the changes after the last one.
    if (n < rounds - 1) worker = await rig.restart(worker);
  }
}

async function settle({ context, store, followers }: Scene): Promise<string[]> {
  for (const follower of followers) await follower.stop();
  // A cursor goes back only with lost data; no data is lost in a crash.
  const rewinds = followers.filter(({ rewinds }) => rewinds > 0).map(({ name }) => `${name} was rewound`);
  await Promise.all(followers.map((follower) => follower.catchUp()));
  const wrongSums = await context.rig.database.query(WRONG_ORDER_SUMS, [store.id]);
  return [
    ...rewinds,
    ...wrongSums.map((sums) => `the statistics differ from the orders by ${JSON.stringify(sums)}`),
    ...(await differencesOf(context.rig.database, store.id, followers)),
  ];
}

/** Copies a cluster whose store then goes on. On the copy, readers that saw the rest start again; the others continue. */
async function moveToCopy(scene: Scene): Promise<string[]> {
  const { context, store, services, followers } = scene;
  const { rig, random } = context;
  if (!rig.server) throw new Error('The copy needs a server that the proof may stop');
  await rig.server.stop();
  const server = await rig.server.copy();
  await rig.server.start();
  const copy = databaseOn(server.url, rig.database);
  try {
    const young = await StoreFixture.create(rig.database);
    for (let n = 0; n < 2; n++) await young.brand();
    const name = 'the reader of the young store';
    const ofYoung = new Follower({ name, key: young.key, address: services[0].url, random });
    await ofYoung.catchUp();
    const [sleeper, ...awake] = followers;
    const writers = new Writers(scene, 8);
    for (const follower of awake) follower.start();
    await delay(3_000);
    await writers.stop();
    for (const follower of awake) await follower.stop();
    await Promise.all(awake.map((follower) => follower.catchUp()));

    await operate(copy.url, 'feed', 'new-branch', '--yes');
    const service = await rig.startService({ databaseUrl: copy.url });
    const others = new Writers({ ...scene, services: [service, service] }, 8, copy.url);
    await delay(2_000);
    await others.stop();
    for (const follower of followers) follower.moveTo(service.url);
    await Promise.all(followers.map((follower) => follower.catchUp()));
    const violations = await differencesOf(copy, store.id, followers);
    // The store that is younger than the copy is imported again, with fewer changes than its reader has seen.
    const again = await StoreFixture.create(copy);
    if (again.id !== young.id) throw new Error('The store did not get its id again');
    await again.brand();
    ofYoung.moveTo(service.url, again.key);
    await ofYoung.catchUp();
    violations.push(...(await differencesOf(copy, again.id, [ofYoung])));
    if (ofYoung.rewinds !== 1) violations.push('the reader of a store younger than the copy was not rewound once');
    if (sleeper && sleeper.rewinds > 0)
      violations.push(`${sleeper.name} was rewound, although it had seen no lost change`);
    const rewound = awake.filter(({ rewinds }) => rewinds === 1).length;
    if (rewound !== awake.length)
      violations.push(`${awake.length - rewound} readers of lost changes were not rewound once`);
    return violations;
  } finally {
    await copy.drop();
    await server.remove();
  }
}
