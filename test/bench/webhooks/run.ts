import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Rig } from '../../proof/support/rig.js';
import type { Answer, ReceivedRequest } from '../../support/https-receiver.js';
import { messageOf, startProgram } from '../driver/driver.js';
import { spreadOf } from '../measure.js';
import { POSTGRES_SETTINGS, printRun } from '../report.js';
import type { Messages } from './bare.js';
import { Scene, type Shop } from './scene.js';
import { webhookTable, type WebhookRow } from './table.js';

// Measures what a message costs, how soon changes arrive, and what receivers that hang cost others:
// npm run bench -- webhooks [--quick]

const { values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean', default: false } } });
const PLAN = values.quick
  ? { rounds: 2, messages: 200, seconds: 3, stores: 10, fairSeconds: 8 }
  : { rounds: 5, messages: 1_500, seconds: 10, stores: 20, fairSeconds: 16 };
const ANSWER_MS = 5;
const WEBHOOKS_OF_STORE = 50;
const HANGING = 20;
const METHOD =
  `One worker, which shares the machine with the receiver and PostgreSQL; the receiver answers after ${ANSWER_MS} ms; each ` +
  `figure the median of ${PLAN.rounds} rounds, the sides in turn.`;

const say = (text: string) => process.stderr.write(`${text}\n`);
const OK: Answer = { status: 200 };
const bare = startProgram('webhooks/bare.ts');
await messageOf(bare);
const rig = await Rig.open(POSTGRES_SETTINGS);
const scene = await Scene.open(rig);
const { receiver, worker, cpuTime } = scene;
try {
  const idle = await idleCpu();
  const rows = [...(await single()), ...(await batches()), ...(await fairness(idle))];
  await printRun(rig.database, METHOD, webhookTable(rows));
} finally {
  await scene.close();
  await rig.close();
}
process.exit();

interface Round {
  /** Messages a second. */
  readonly rate: number;
  /** Milliseconds a message. */
  readonly cpu: number;
}

/** One message after the other, as many as there are changes. */
async function single(): Promise<WebhookRow[]> {
  say('single messages');
  const shop = await scene.openShop(PLAN.messages);
  await scene.install(shop, `${receiver.url}single`);
  const rounds = { service: [] as Round[], bare: [] as Round[] };
  let body = '';
  const measure = async (send: () => Promise<unknown>, pid: number): Promise<Round> => {
    const times: number[] = [];
    receiver.reset();
    receiver.answer = (request) => {
      times.push(performance.now());
      ({ body } = request);
      return delay(ANSWER_MS, OK);
    };
    const before = cpuTime.of(pid);
    await send();
    const after = cpuTime.of(pid);
    const seconds = ((times.at(-1) ?? NaN) - (times[0] ?? NaN)) / 1_000;
    return { rate: (times.length - 1) / seconds, cpu: ((after ?? NaN) - (before ?? NaN)) / times.length };
  };
  const serve = async () => {
    await scene.change(shop, shop.products);
    await scene.caughtUp(shop);
  };
  const post = async () => {
    const done = messageOf(bare);
    const { url, ca } = receiver;
    bare.send({ url, ca, body, count: PLAN.messages } satisfies Messages);
    await done;
  };
  for (let n = 0; n <= PLAN.rounds; n++) {
    rounds.service.push(await measure(serve, worker.pid));
    rounds.bare.push(await measure(post, bare.pid ?? -1));
  }
  await removeWebhooks();
  // The first round warms up.
  const of = (side: 'service' | 'bare', figure: keyof Round) =>
    spreadOf(rounds[side].slice(1).map((round) => round[figure]));
  return [
    {
      ...{ title: 'messages of one change to one receiver', unit: 'a second', goal: { atLeast: 150 } },
      ...{ service: of('service', 'rate'), reference: of('bare', 'rate') },
    },
    {
      ...{ title: 'CPU time of such a message, with PostgreSQL', unit: 'ms', goal: null },
      ...{ service: of('service', 'cpu'), reference: of('bare', 'cpu') },
    },
  ];
}

/** Changes at a constant rate, each of another product. */
async function batches(): Promise<WebhookRow[]> {
  say('batches');
  const shop = await scene.openShop(PLAN.seconds * 1_000);
  await scene.install(shop, `${receiver.url}batches`, 100);
  await scene.caughtUp(shop);
  const [typical, longest]: [number[], number[]] = [[], []];
  for (let n = 0; n < PLAN.rounds; n++) {
    const changedAt = new Map<string, number>();
    const lags: number[] = [];
    receiver.reset();
    receiver.answer = ({ body }) => {
      const { data } = JSON.parse(body) as { data: { changes: readonly { id: string }[] } };
      for (const { id } of data.changes) lags.push(performance.now() - (changedAt.get(id) ?? performance.now()));
      return delay(ANSWER_MS, OK);
    };
    for (let tick = 0; tick < PLAN.seconds * 10; tick++) {
      const wait = delay(100);
      const products = shop.products.slice(tick * 100, tick * 100 + 100);
      for (const id of products) changedAt.set(String(id), performance.now());
      await scene.change(shop, products);
      await wait;
    }
    await scene.caughtUp(shop);
    const { median, max } = spreadOf(lags);
    typical.push(median);
    longest.push(max);
  }
  await removeWebhooks();
  const title = '1,000 changes a second in messages of up to 100, from the commit to the receiver';
  return [
    { title: `${title}, median`, unit: 'ms', service: spreadOf(typical), reference: null, goal: null },
    { title: `${title}, the last`, unit: 'ms', service: spreadOf(longest), reference: null, goal: { atMost: 2_000 } },
  ];
}

/** The rounds without receivers that hang are the reference. */
async function fairness(idle: number): Promise<WebhookRow[]> {
  say('fairness');
  const shops: Shop[] = [];
  for (let n = 0; n < PLAN.stores; n++) shops.push(await scene.openShop(1));
  const count = PLAN.stores * WEBHOOKS_OF_STORE;
  for (let n = 0; n < count; n++) {
    const shop = shops[Math.floor(n / WEBHOOKS_OF_STORE)] as Shop;
    await scene.install(shop, `https://h${n}.receiver.test:${receiver.port}/${n}`);
  }
  await scene.caughtUp(...shops);
  const resting = await idleCpu();
  const lags = { some: [] as number[], none: [] as number[] };
  for (let n = 0; n < PLAN.rounds; n++) {
    lags.none.push(await lagOf(shops, false));
    lags.some.push(await lagOf(shops, true));
  }
  return [
    {
      ...{ title: `${count} receivers, of which one in ${HANGING} hangs: 99 % of the others have a change after` },
      ...{ unit: 'ms', service: spreadOf(lags.some), reference: spreadOf(lags.none), goal: null },
    },
    {
      ...{ title: `CPU time of a worker and PostgreSQL with ${count} webhooks and nothing to send; without any` },
      ...{ unit: '% of a core', service: spreadOf([resting]), reference: spreadOf([idle]), goal: null },
    },
  ];
}

/** A product of another store changes every 400 ms. @returns the 99th percentile of those that never hang. */
async function lagOf(shops: readonly Shop[], someHang: boolean): Promise<number> {
  const changedAt = new Map<number, number>();
  const lags: number[] = [];
  let hangs = someHang;
  receiver.reset();
  receiver.answer = ({ path }: ReceivedRequest) => {
    const webhook = Number(path.slice(1));
    if (webhook % HANGING === 0) return hangs ? 'hang' : OK;
    const at = changedAt.get(Math.floor(webhook / WEBHOOKS_OF_STORE));
    if (at !== undefined) lags.push(performance.now() - at);
    return delay(ANSWER_MS, OK);
  };
  const ticks = (PLAN.fairSeconds * 1_000) / 400;
  for (let tick = 0; tick < ticks; tick++) {
    const wait = delay(400);
    const store = tick % shops.length;
    const shop = shops[store] as Shop;
    changedAt.set(store, performance.now());
    await scene.change(shop, shop.products);
    await wait;
  }
  hangs = false;
  await scene.caughtUp(...shops);
  const wanted = ticks * WEBHOOKS_OF_STORE * (1 - 1 / HANGING);
  if (lags.length !== wanted) throw new Error(`${lags.length} messages came, not ${wanted}`);
  return lags.sort((a, b) => a - b)[Math.floor(lags.length * 0.99)] ?? NaN;
}

/** Percent of a core. */
async function idleCpu(): Promise<number> {
  const ms = PLAN.seconds * 1_000;
  const before = cpuTime.of(worker.pid);
  await delay(ms);
  return (((cpuTime.of(worker.pid) ?? NaN) - (before ?? NaN)) / ms) * 100;
}

async function removeWebhooks(): Promise<void> {
  await rig.database.query('DELETE FROM webhooks');
}
