import { setTimeout as delay } from 'node:timers/promises';
import { operate } from '../support/cli.js';
import { messageIdOf } from '../support/oracle/pipeline.js';
import { inTime } from '../support/store-setup.js';
import { canSucceed, place, SHIPMENT, stagesOf, untilDelivered, type Scene, type StageRow } from './scene.js';

const ERRORS = { poison: 'EADDRESS', blocked: 'SMTP_550' } as const;
const DELIVERED_MS = 120_000;

/** Stages that a person can fix succeed after the retry command. The others end dead, with a reason. */
export async function buryThePoisoned(scene: Scene, quick: boolean): Promise<string[]> {
  const { context, orders, clock, sink } = scene;
  const doomed = orders.filter(({ kind }) => kind === 'poison' || kind === 'blocked');
  const ids = doomed.map(({ id }) => id);
  const customers = async () =>
    (await stagesOf(scene)).filter(({ order_id, stage }) => ids.includes(order_id) && stage === 'notify-customer');
  const violations = (await customers())
    .filter(({ state, attempts }) => state === 'done' || attempts === 0)
    .map((row) => `${nameOf(row)} is ${row.state} after ${row.attempts} attempts, and can never succeed`);

  const buried = await inTime(async () => {
    await clock.skipBackOff(ids, quick);
    const alive = (await customers()).filter(({ state }) => state !== 'dead');
    if (alive.length > 0) throw new Error(`${alive.length} stages that cannot succeed are not dead`);
  }, 60_000);
  violations.push(...buried);
  for (const row of await customers()) {
    const kind = doomed.find(({ id }) => id === row.order_id)?.kind as keyof typeof ERRORS;
    if (row.last_error !== ERRORS[kind]) violations.push(`${nameOf(row)} is dead with ${row.last_error}`);
  }

  const curable = doomed.filter(({ kind }) => kind === 'blocked');
  sink.blocked.clear();
  for (const { id } of curable) {
    const { stages } = await operate<{ stages: string[] }>(context.rig.database.url, 'orders', 'retry-pipeline', id);
    if (stages.join() !== 'notify-customer')
      violations.push(`retry-pipeline of order ${id} reported: ${stages.join()}`);
  }
  const cured = await inTime(async () => {
    const states = (await customers()).filter(({ order_id }) => curable.some(({ id }) => id === order_id));
    if (states.some(({ state }) => state !== 'done')) throw new Error('A stage that was retried is not done');
  });
  return [...violations, ...cured];
}

export async function confirmTheReviewed(scene: Scene): Promise<string[]> {
  const { context, orders, sink } = scene;
  const reviewed = orders.filter(({ kind }) => kind === 'review');
  const early = reviewed.filter(({ email }) => sink.recipients.includes(email));
  const violations = early.map(({ id }) => `the customer got a mail before order ${id} was confirmed`);
  const held = (await stagesOf(scene)).filter(({ state }) => state === 'held');
  if (held.length !== reviewed.length) violations.push(`${held.length} stages are held, not ${reviewed.length}`);

  for (const { id } of reviewed) {
    await operate(context.rig.database.url, 'orders', 'set-status', id, '--fulfillment-status', 'CONFIRMED');
  }
  const told = await inTime(() => {
    const silent = reviewed.filter(({ email }) => !sink.mails.some(({ to }) => to.includes(email)));
    if (silent.length > 0) throw new Error(`${silent.length} customers got no mail after the review`);
  });
  return [...violations, ...told];
}

export function takeTheDatabaseAway(scene: Scene, forMs: number): Promise<string[]> {
  const { proxy } = scene;
  return withoutRestart(scene, 30_000, async () => {
    const client = async (end: number) => {
      while (Date.now() < end) {
        await place(scene);
        await delay(100);
      }
    };
    const clients = client(Date.now() + forMs + 1_000);
    await delay(1_000);
    proxy.cut();
    await delay(forMs);
    proxy.restore();
    await clients;
  });
}

export function freezeOpenConnections(scene: Scene): Promise<string[]> {
  return withoutRestart(scene, 60_000, async () => {
    await Promise.all([place(scene), place(scene)]);
    scene.proxy.freezeOpenConnections();
  });
}

async function withoutRestart(scene: Scene, resumeMs: number, disturb: () => Promise<void>): Promise<string[]> {
  const { crew, proxy, sink } = scene;
  const before = crew.pids.join();
  sink.behaviour = { kind: 'slow', at: 'message', ms: 100 };
  await disturb();
  sink.behaviour = { kind: 'accept' };
  const last = await place(scene);
  const violations = await inTime(() => {
    if (!sink.mails.some(({ to }) => to.includes(last.email))) throw new Error('The workers do not resume');
  }, resumeMs);
  violations.push(...(await untilDelivered(scene, DELIVERED_MS)));
  proxy.restore();
  if (crew.pids.join() !== before) violations.push('workers were restarted');
  return violations;
}

export async function dismissInDelivery(scene: Scene, answerMs: number, orders: number): Promise<string[]> {
  const { crew, sink, clock } = scene;
  const size = crew.pids.length;
  const underWay = Math.min(2 * orders, 2 * size);
  sink.behaviour = { kind: 'slow', at: 'message', ms: answerMs };
  await Promise.all(Array.from({ length: orders }, () => place(scene)));
  const violations = await inTime(() => {
    if (sink.waiting < underWay) throw new Error(`Only ${sink.waiting} deliveries are under way`);
  });
  const taken = sink.mails.length;
  const endings = await crew.dismissAll();
  const finished = sink.mails.length - taken;
  violations.push(...endings.filter((end) => end !== 0).map((end) => `SIGTERM ended a worker with ${end}`));
  const claimed = await clock.claimed();
  violations.push(...claimed.map((claim) => `a worker that exited cleanly still holds ${claim}`));
  if (finished < underWay) violations.push(`${finished} of ${underWay} deliveries under way were finished`);

  sink.behaviour = { kind: 'accept' };
  // Other workers take the stages that had not begun.
  if ((await untilDelivered(scene, 0)).length > 0) {
    await crew.hire(size);
    violations.push(...(await untilDelivered(scene, 30_000)));
  }
  return violations;
}

/** Two mails per acknowledged order and one per shipment; an attempt sends again when a reused connection breaks. */
export async function countViolations(scene: Scene): Promise<string[]> {
  const { orders, shipped, sink, store } = scene;
  // Workers on a shared database also send the mails of other stores' orders, once those are screened again.
  const own = `@${store.subdomain}.store-commerce`;
  const arrived = new Map([...sink.countsByMessageId].filter(([id]) => id.endsWith(own)));
  const violations: string[] = [];
  const expected = [
    ...orders.flatMap((order) =>
      ['notify-customer', 'notify-merchant']
        .filter((stage) => order.kind !== 'poison' || canSucceed(order, stage))
        .map((stage) => ({ order_id: order.id, stage, reference: '' })),
    ),
    ...shipped.map((order_id) => ({ order_id, stage: 'notify-shipment', reference: SHIPMENT })),
  ].map((stage) => messageIdOf(stage, store.subdomain));
  const missing = expected.filter((id) => !arrived.has(id));
  if (missing.length > 0) violations.push(`${missing.length} mails never arrived: ${missing.slice(0, 5).join()}`);
  if (arrived.size !== expected.length) violations.push(`${arrived.size} mails arrived, not ${expected.length}`);
  for (const row of await stagesOf(scene)) {
    const count = arrived.get(messageIdOf(row, store.subdomain)) ?? 0;
    if (row.attempts * 2 < count) violations.push(`${nameOf(row)} arrived ${count} × in ${row.attempts} attempts`);
  }
  return violations;
}

function nameOf({ stage, order_id }: StageRow): string {
  return `${stage} of order ${order_id}`;
}
