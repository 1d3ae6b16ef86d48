import { setTimeout as delay } from 'node:timers/promises';
import type { FeedAnswer } from '../support/feed-reader.js';
import { dieIn, insist, stores, type Death } from './move/command.js';
import { changeLate } from './move/late-change.js';
import { openCluster, Scene } from './move/scene.js';
import { Traffic } from './move/traffic.js';
import { judge, longestGapMs, remainsOf, replicationIn } from './move/verdict.js';
import { dataOf } from './support/history.js';
import type { Proof, ProofContext, ProofForm, ProofOutcome } from './support/proof.js';
import { inTime } from './support/store-setup.js';

interface Journey {
  readonly isLate?: true;
  readonly death?: Death;
}

interface Scale {
  readonly orders: number;
  readonly perSecond: number;
  readonly mostGapMs: number;
  readonly journeys: readonly Journey[];
}

const SCALE: Record<ProofForm, Scale> = {
  full: {
    ...{ orders: 2_000, perSecond: 20, mostGapMs: 5_000 },
    journeys: [{}, { isLate: true }, { death: 'copy' }, { death: 'close' }, { death: 'switch' }, {}],
  },
  // A busy machine must not fail it.
  quick: { orders: 40, perSecond: 8, mostGapMs: 20_000, journeys: [{}, { isLate: true }] },
};
const COUNT_PATIENCE_MS = 20_000;
/** Includes the time until the refused clients come again. */
const CALM_MS = 2_000;
/** A reader that waits for changes at the source since before the switch gets 401 when its key is gone. */
const READ_MS = 2_500;

export const move: Proof = { name: 'move', openRig: () => openCluster(), run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, history } = context;
  const { orders, perSecond, mostGapMs, journeys } = SCALE[form];
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const scene = await Scene.open(context, orders, closers);
    const violations = await takenId(scene);
    const traffic = new Traffic(scene, perSecond);
    // After a failure there may be no answer to wait for.
    closers.push(() => Promise.resolve(void traffic.stop()));
    await delay(CALM_MS);
    if (form === 'full') violations.push(...(await takeBack(scene)));
    const closedMs: number[] = [];
    const gaps: number[] = [];
    for (const journey of journeys) {
      const began = Date.now();
      const report = await travel(scene, traffic, journey);
      violations.push(...report.violations);
      await delay(CALM_MS);
      if (journey.death) continue;
      gaps.push(longestGapMs(history, scene.shop.store.id, began, Date.now()));
      closedMs.push(report.closedMs ?? 0);
    }
    const seconds = Math.round((Date.now() - traffic.began) / 1_000);
    await traffic.stop();
    violations.push(...(await judge(scene, traffic)));
    if (Math.max(...gaps) > mostGapMs) violations.push(`no order was acknowledged for ${Math.max(...gaps)} ms`);
    const figures =
      `${journeys.length} moves of a store with ${orders} orders and more, beside ${perSecond} orders/s for ${seconds} s; closed for ` +
      `${closedMs.join(', ')} ms, no order acknowledged for ${gaps.join(', ')} ms where the command lived`;
    return { figures, violations };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

const COMPARED = `INSERT INTO store_moves (store_id, step) VALUES ($1, 'verified') ON CONFLICT DO NOTHING`;

async function travel(scene: Scene, traffic: Traffic, { isLate, death }: Journey) {
  const { home: from, other: to, shop } = scene;
  const { subdomain } = shop.store;
  const args = ['move', subdomain, '--to', to.rig.database.url];
  if (death) await dieIn(scene, args, death);
  const late: Promise<void>[] = [];
  const report = (error: Error) => void traffic.violations.push(error.message);
  const { differences, closedMs, rows } = await insist(from, args, (step) => {
    if (step === 'draining' && isLate && late.length === 0) late.push(changeLate(scene, traffic).catch(report));
    if (step === 'opened' && scene.home === from) scene.switch();
  });
  await Promise.all(late);
  const violations = differences.map((table) => `the rows of ${table} differ after the switch`);
  violations.push(...(await askSource(scene)));
  // `judge` compares the rows.
  if (rows === null) await from.rig.database.query(COMPARED, [shop.store.id]);
  await delay(READ_MS);
  await insist(from, ['forget', subdomain, '--yes']);
  violations.push(
    ...(await remainsOf(scene, from)),
    ...(await replicationIn([from, to])),
    ...(await addProduct(scene)),
    ...(await countShelf(scene)),
  );
  return { closedMs, violations };
}

/** Simulates a client that does not know of the move yet. */
async function askSource({ shop, other }: Scene): Promise<string[]> {
  const { status, headers } = await shop.buyers.send(other.service, { method: 'GET', path: '/v1/orders?limit=1' });
  if (status === 503 && headers['x-error-code'] === 'store_moved' && headers['retry-after'] === '1') return [];
  return [`the cluster that the store has left answered ${status} ${String(headers['x-error-code'])}`];
}

/** Adds a product with a new id, which none of the moved products has. */
async function addProduct({ shop, router }: Scene): Promise<string[]> {
  const line = { kind: 'product', slug: `added-${Date.now()}`, name: 'Added', price: '1.00' };
  const { status, bytes } = await shop.buyers.insist([router], { lines: [line] }, { path: '/v1/import' });
  if (status === 200 && bytes.toString().includes('"result":"created"')) return [];
  return [`a new product was answered ${status} ${bytes.toString()}`];
}

/** Counts at a position of this cluster: what was sold in the other one was sold before it. */
async function countShelf(scene: Scene): Promise<string[]> {
  const { shop, router, shelf, home } = scene;
  const { buyers, store } = shop;
  const onShelf = 'SELECT sum(quantity)::int AS units FROM stock WHERE store_id = $1 AND product_id = $2';
  const units = async () => (await home.rig.database.query<{ units: number }>(onShelf, [store.id, shelf]))[0]?.units;
  const counted = await units();
  const unable = await inTime(async () => {
    const path = '/v1/changes?kinds=brands&limit=100';
    const read = await buyers.insist([router], undefined, { method: 'GET', path });
    const { cursor } = JSON.parse(read.bytes.toString()) as FeedAnswer;
    const lines = [{ product_id: shelf, counted, as_of: cursor, basis: 'available' }];
    const answer = await buyers.insist([router], { reference: `COUNT-${Date.now()}`, lines }, { path: '/v1/stock' });
    const [line] = dataOf<{ lines: { code: string }[] }>(answer).lines;
    if (line?.code !== '') throw new Error(`The count was refused: ${line?.code}`);
  }, COUNT_PATIENCE_MS);
  const left = await units();
  return left === counted ? unable : [...unable, `a count of ${counted} units left ${left}`];
}

/** Creates a store in the other cluster with the same id, as if both assigned the same ids. */
async function takenId({ home, other }: Scene): Promise<string[]> {
  const { id, subdomain } = home.neighbour.store;
  const { database } = other.rig;
  const insert = `INSERT INTO stores (id, subdomain, name, currency) OVERRIDING SYSTEM VALUE VALUES ($1, 'taken', 'Taken', 'USD')`;
  await database.query(insert, [id]);
  const { code, stderr } = await stores(home, ['move', subdomain, '--to', database.url, '--dry-run']);
  await database.query('DELETE FROM stores WHERE id = $1', [id]);
  return code === 0 ? ['a store may move to a cluster that has another store with its id'] : wrongReason(stderr);
}

function wrongReason(stderr: string): string[] {
  return stderr.includes('ids must differ between clusters') ? [] : [`a taken id is refused by ${stderr}`];
}

/** Reverts a move after the copy: no client notices it. */
async function takeBack(scene: Scene): Promise<string[]> {
  const { home, other, shop, context } = scene;
  const args = ['move', shop.store.subdomain, '--to', other.rig.database.url];
  const before = context.history.exchanges.length;
  await dieIn(scene, args, 'copied');
  await insist(home, [...args, '--abort']);
  const refused = context.history.exchanges.slice(before).filter(({ status }) => status !== 200 && status !== 201);
  return [
    ...refused.map(({ method, path, status }) => `beside a move that was taken back, ${method} ${path} got ${status}`),
    ...(await remainsOf(scene, other)),
    ...(await replicationIn([home, other])),
  ];
}
