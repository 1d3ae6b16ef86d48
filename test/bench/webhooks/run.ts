import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Rig } from '../../proof/support/rig.js';
import type { Answer } from '../../support/https-receiver.js';
import { messageOf, startProgram } from '../driver/driver.js';
import { POSTGRES_SETTINGS, printRun, spreadOf, spreadText, verdictOf, type Goal } from '../report.js';
import type { Messages } from './bare.js';
import { Scene } from './scene.js';

// npm run bench -- webhooks [--quick]

const { values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean', default: false } } });
const PLAN = values.quick ? { rounds: 2, messages: 200, seconds: 3 } : { rounds: 5, messages: 1_500, seconds: 10 };
const ANSWER_MS = 5;
const METHOD =
  `One worker, which shares the machine with the receiver and PostgreSQL; the receiver answers after ${ANSWER_MS} ms; each ` +
  `figure is the median of ${PLAN.rounds} rounds, in which the service and the reference take turns.`;

const say = (text: string) => process.stderr.write(`${text}\n`);
const OK: Answer = { status: 200 };
const bare = startProgram('webhooks/bare.ts');
await messageOf(bare);
const rig = await Rig.open(POSTGRES_SETTINGS);
const scene = await Scene.open(rig);
const { receiver, worker, cpuTime } = scene;
try {
  const rows = [...(await single()), ...(await batches())];
  await printRun(rig.database, METHOD, [['measured', 'service (min–max)', 'reference (min–max)', 'goal'], ...rows]);
} finally {
  await scene.close();
  await rig.close();
}
process.exit();

function rowOf(title: string, unit: string, service: readonly number[], reference: number[] | null, goal: Goal | null) {
  const found = spreadOf(service);
  const compared = reference ? spreadText(spreadOf(reference), unit) : '–';
  return [title, spreadText(found, unit), compared, verdictOf(found.median, goal, unit)];
}

interface Round {
  /** Messages per second. */
  readonly rate: number;
  /** Milliseconds per message. */
  readonly cpu: number;
}

async function single(): Promise<string[][]> {
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
  const of = (side: 'service' | 'bare', figure: keyof Round) => rounds[side].slice(1).map((round) => round[figure]);
  return [
    rowOf('messages of one change to one receiver', ' a second', of('service', 'rate'), of('bare', 'rate'), {
      atLeast: 150,
    }),
    rowOf('CPU time of such a message, with PostgreSQL', ' ms', of('service', 'cpu'), of('bare', 'cpu'), null),
  ];
}

async function batches(): Promise<string[][]> {
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
    rowOf(`${title}, median`, ' ms', typical, null, null),
    rowOf(`${title}, maximum`, ' ms', longest, null, { atMost: 2_000 }),
  ];
}

async function removeWebhooks(): Promise<void> {
  await rig.database.query('DELETE FROM webhooks');
}
