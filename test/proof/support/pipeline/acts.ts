import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../../support/eventually.js';
import { operate } from './operator.js';
import { place, untilDelivered, type Scene } from './scene.js';
import type { StageRow } from './stage-watch.js';

/** What an act of the proof found, and what it has to tell. */
export interface Act {
  readonly figures: string;
  readonly violations: readonly string[];
}

const ERRORS = { poison: 'EADDRESS', blocked: 'SMTP_550' } as const;

/** Stages that can never succeed end dead and say why, and those that a person can help succeed when told to retry. */
export async function buryThePoisoned(scene: Scene, quick: boolean): Promise<Act> {
  const { context, watch, orders, clock, sink } = scene;
  const doomed = orders.filter(({ kind }) => kind === 'poison' || kind === 'blocked');
  const ids = doomed.map(({ id }) => id);
  const customers = async () =>
    (await watch.stages()).filter(({ order_id, stage }) => ids.includes(order_id) && stage === 'notify-customer');
  const violations = (await customers())
    .filter(({ state, attempts }) => state === 'done' || attempts === 0)
    .map((row) => `${nameOf(row)} is ${row.state} after ${row.attempts} attempts, and can never succeed`);

  await eventually(async () => {
    await clock.skipBackOff(ids, quick);
    const alive = (await customers()).filter(({ state }) => state !== 'dead');
    if (alive.length > 0) throw new Error(`${alive.length} stages that cannot succeed are not dead`);
  }, 90_000);
  const dead = await customers();
  for (const row of dead) {
    const kind = doomed.find(({ id }) => id === row.order_id)?.kind as keyof typeof ERRORS;
    if (row.last_error !== ERRORS[kind]) violations.push(`${nameOf(row)} is dead of ${row.last_error}`);
  }

  const curable = doomed.filter(({ kind }) => kind === 'blocked');
  sink.blocked.clear();
  for (const { id } of curable) {
    const { stages } = await operate<{ stages: string[] }>(context.rig.database.url, 'orders', 'retry-pipeline', id);
    if (stages.join() !== 'notify-customer') violations.push(`retry-pipeline of order ${id} told: ${stages.join()}`);
  }
  await eventually(async () => {
    const states = (await customers()).filter(({ order_id }) => curable.some(({ id }) => id === order_id));
    if (states.some(({ state }) => state !== 'done')) throw new Error('A stage that was retried is not done');
  });
  const tried = dead.map(({ attempts }) => attempts);
  const figures = `${dead.length} dead with their reason after ${Math.min(...tried)}–${Math.max(...tried)} attempts, ${curable.length} retried by command and delivered`;
  return { figures, violations };
}

/** The customer hears of an order under review when it is confirmed, and not before. */
export async function confirmTheReviewed({ context, orders, sink, watch }: Scene): Promise<Act> {
  const reviewed = orders.filter(({ kind }) => kind === 'review');
  const early = reviewed.filter(({ email }) => sink.recipients.includes(email));
  const violations = early.map(({ id }) => `the customer was written to before order ${id} was confirmed`);
  const held = (await watch.stages()).filter(({ state }) => state === 'held');
  if (held.length !== reviewed.length) violations.push(`${held.length} stages are held, not ${reviewed.length}`);

  for (const { id } of reviewed) {
    await operate(context.rig.database.url, 'orders', 'set-status', id, '--fulfillment-status', 'CONFIRMED');
  }
  await eventually(() => {
    const silent = reviewed.filter(({ email }) => !sink.mails.some(({ to }) => to.includes(email)));
    if (silent.length > 0) throw new Error(`${silent.length} customers were not written to after the review`);
  });
  return { figures: `${reviewed.length} held for review until confirmed`, violations };
}

/** The database goes away while the workers are busy. They go on by themselves when it is back. */
export async function takeTheDatabaseAway(scene: Scene, forMs: number): Promise<Act> {
  const { crew, proxy, sink } = scene;
  const before = crew.pids.join();
  sink.behaviour = { kind: 'slow', at: 'message', ms: 100 };
  const client = async (end: number) => {
    while (Date.now() < end) {
      await place(scene);
      await delay(100);
    }
  };
  const clients = client(Date.now() + forMs + 1_000);
  await delay(1_000);
  const gone = Date.now();
  proxy.cut();
  await delay(forMs);
  proxy.restore();
  const back = Date.now();
  crew.interruptions.push({ from: gone, to: back });
  await clients;
  sink.behaviour = { kind: 'accept' };
  const last = await place(scene);
  await eventually(() => {
    if (!sink.mails.some(({ to }) => to.includes(last.email))) throw new Error('The workers do not work again');
  }, 30_000);
  const working = ((Date.now() - back) / 1_000).toFixed(1);
  const violations = await untilDelivered(scene, 120_000);
  const settled = Math.round((Date.now() - back) / 1_000);
  if (crew.pids.join() !== before) violations.push('workers were started again');
  return {
    figures: `${forMs / 1_000} s without a database: at work again after ${working} s, all done after ${settled} s`,
    violations,
  };
}

/** SIGTERM in the middle of deliveries: they are finished, and the process ends in order. */
export async function dismissInDelivery(scene: Scene, answerMs: number, orders: number): Promise<Act> {
  const { crew, sink, clock } = scene;
  const size = crew.pids.length;
  sink.behaviour = { kind: 'slow', at: 'message', ms: answerMs };
  await Promise.all(Array.from({ length: orders }, () => place(scene)));
  await eventually(() => {
    if (sink.waiting === 0) throw new Error('No delivery is under way');
  });
  const taken = sink.mails.length;
  const start = Date.now();
  const endings = await crew.dismissAll();
  const seconds = ((Date.now() - start) / 1_000).toFixed(1);
  const finished = sink.mails.length - taken;
  const violations = endings.filter((ending) => ending !== 0).map((ending) => `SIGTERM ended a worker with ${ending}`);
  const locked = await clock.locked();
  violations.push(...locked.map((job) => `a worker that ended in order still holds ${job}`));
  if (finished === 0) violations.push('the deliveries under way were not finished');

  sink.behaviour = { kind: 'accept' };
  await crew.hire(size);
  violations.push(...(await untilDelivered(scene, 30_000)));
  return { figures: `${finished} deliveries finished after SIGTERM, exit 0 in ${seconds} s`, violations };
}

function nameOf({ stage, order_id }: StageRow): string {
  return `${stage} of order ${order_id}`;
}
