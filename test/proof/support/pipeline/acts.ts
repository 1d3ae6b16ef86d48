import { operate } from '../cli.js';
import { inTime, type Scene } from './scene.js';
import type { StageRow } from './stage-watch.js';

/** The violations and figures of one act of the proof. */
export interface Act {
  readonly figures: string;
  readonly violations: readonly string[];
}

const ERRORS = { poison: 'EADDRESS', blocked: 'SMTP_550' } as const;

/**
 * Stages that can never succeed end dead with a reason; those that a person can fix succeed after the retry command.
 */
export async function buryThePoisoned(scene: Scene, quick: boolean): Promise<Act> {
  const { context, watch, orders, clock, sink } = scene;
  const doomed = orders.filter(({ kind }) => kind === 'poison' || kind === 'blocked');
  const ids = doomed.map(({ id }) => id);
  const customers = async () =>
    (await watch.stages()).filter(({ order_id, stage }) => ids.includes(order_id) && stage === 'notify-customer');
  const violations = (await customers())
    .filter(({ state, attempts }) => state === 'done' || attempts === 0)
    .map((row) => `${nameOf(row)} is ${row.state} after ${row.attempts} attempts, and can never succeed`);

  const buried = await inTime(async () => {
    await clock.skipBackOff(ids, quick);
    const alive = (await customers()).filter(({ state }) => state !== 'dead');
    if (alive.length > 0) throw new Error(`${alive.length} stages that cannot succeed are not dead`);
  }, 60_000);
  violations.push(...buried);
  const dead = await customers();
  for (const row of dead) {
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
  violations.push(...cured);
  const tried = dead.map(({ attempts }) => attempts);
  const figures = `${dead.length} dead with their reason after ${Math.min(...tried)}–${Math.max(...tried)} attempts, ${curable.length} retried by command and delivered`;
  return { figures, violations };
}

/** The customer of an order under review gets the mail when the order is confirmed, and not before. */
export async function confirmTheReviewed({ context, orders, sink, watch }: Scene): Promise<Act> {
  const reviewed = orders.filter(({ kind }) => kind === 'review');
  const early = reviewed.filter(({ email }) => sink.recipients.includes(email));
  const violations = early.map(({ id }) => `the customer got a mail before order ${id} was confirmed`);
  const held = (await watch.stages()).filter(({ state }) => state === 'held');
  if (held.length !== reviewed.length) violations.push(`${held.length} stages are held, not ${reviewed.length}`);

  for (const { id } of reviewed) {
    await operate(context.rig.database.url, 'orders', 'set-status', id, '--fulfillment-status', 'CONFIRMED');
  }
  const told = await inTime(() => {
    const silent = reviewed.filter(({ email }) => !sink.mails.some(({ to }) => to.includes(email)));
    if (silent.length > 0) throw new Error(`${silent.length} customers got no mail after the review`);
  });
  violations.push(...told);
  return {
    figures: `${reviewed.length} held for review until confirmed`,
    violations,
  };
}

function nameOf({ stage, order_id }: StageRow): string {
  return `${stage} of order ${order_id}`;
}
