import { setTimeout as delay } from 'node:timers/promises';
import type { StoreFixture } from '../../../builders/store-fixture.js';
import { eventually } from '../../../support/eventually.js';
import type { SmtpSink } from '../../../support/smtp-sink.js';
import type { TcpProxy } from '../../../support/tcp-proxy.js';
import type { Buyers } from '../buyers.js';
import type { ProofContext } from '../proof.js';
import type { Service } from '../service.js';
import { orderBody } from '../store-setup.js';
import type { QueueClock } from './queue-clock.js';
import type { StageWatch } from './stage-watch.js';
import type { WorkerCrew } from './worker-crew.js';

/**
 * The fate of an order's mails: both are delivered; or the customer's can never be sent, because the mailer (`poison`)
 * or the mail server (`blocked`) refuses the address; or the customer's is held for a review. A worker screens an order
 * again when a busy machine screened it too late, and then treats it like any other of its kind.
 */
export type OrderKind = 'good' | 'poison' | 'blocked' | 'review';

export interface PlacedOrder {
  readonly id: string;
  readonly kind: OrderKind;
  readonly email: string;
}

/** Reference of every shipment. Its hash is in the Message-ID. */
export const SHIPMENT = 'SHIP/1';

/** Orders from this total on go to review. */
export const REVIEW_AMOUNT = 50_000;

/** The shared state of the proof's acts. */
export interface Scene {
  readonly context: ProofContext;
  readonly store: StoreFixture;
  /** One unit of `cheap` is an ordinary order, one of `dear` is reviewed. */
  readonly products: { readonly cheap: number; readonly dear: number };
  readonly services: readonly Service[];
  readonly buyers: Buyers;
  readonly sink: SmtpSink;
  readonly crew: WorkerCrew;
  /** The proxy between the workers and the database. */
  readonly proxy: TcpProxy;
  readonly clock: QueueClock;
  readonly watch: StageWatch;
  readonly orders: PlacedOrder[];
  /** Ids of the orders that were shipped. */
  readonly shipped: string[];
}

let serial = 0;

/** An order of a new customer, through any of the processes. */
export async function place(scene: Scene, kind: OrderKind = 'good'): Promise<PlacedOrder> {
  const placed = { ...(await send(scene, kind)), kind };
  scene.orders.push(placed);
  return placed;
}

async function send({ products, buyers, services, sink }: Scene, kind: OrderKind) {
  const product_id = kind === 'review' ? products.dear : products.cheap;
  const body = orderBody([{ product_id, quantity: 1 }], kind);
  const email = body.customer['email'] ?? '';
  if (kind === 'blocked') sink.blocked.add(email);
  const answer = await buyers.insist(services, body, { key: `pipeline-${++serial}` });
  if (answer.status !== 201) throw new Error(`An order was answered ${answer.status}: ${answer.bytes.toString()}`);
  const { data } = JSON.parse(answer.bytes.toString()) as { data: { order_id: string } };
  return { id: data.order_id, email };
}

/** Ships an order, through any of the processes, unless it waits for its analysis. */
export async function ship({ buyers, services, shipped }: Scene, { id }: PlacedOrder): Promise<void> {
  const answer = await buyers.insist(services, { reference: SHIPMENT }, { path: `/v1/orders/${id}/shipments` });
  if (answer.status === 201) shipped.push(id);
  else if (answer.headers['x-error-code'] !== 'order_held') throw new Error(`A shipment was answered ${answer.status}`);
}

/** Whether a stage can end without a person's help. */
export function canSucceed({ kind }: PlacedOrder, stage: string): boolean {
  return kind === 'good' || stage === 'notify-merchant';
}

/**
 * Waits until every stage that can succeed is done, regardless of those that cannot.
 *
 * @param hurry runs repeatedly meanwhile, to advance the clock.
 * @returns a text for each stage that is not done in time.
 */
export async function untilDelivered(
  { watch, orders }: Scene,
  deadlineMs: number,
  hurry: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const giveUp = Date.now() + deadlineMs;
  const known = new Map(orders.map((order) => [order.id, order]));
  for (;;) {
    const open = (await watch.stages()).filter(({ order_id, stage, state }) => {
      const order = known.get(order_id);
      // Stages of an order that was not analysed are held until it is.
      const waits = state === 'held' && order?.kind !== 'review';
      return order && ((canSucceed(order, stage) && state !== 'done') || waits);
    });
    if (open.length === 0) return [];
    if (Date.now() > giveUp) {
      return open.map(({ order_id, stage, state }) => `${stage} of order ${order_id} is still ${state}`);
    }
    await hurry();
    await delay(100);
  }
}

/** Violations that remain at the deadline: the proof continues, so that the oracle reports the consequences. */
export async function inTime(assertion: () => unknown, timeoutMs = 20_000): Promise<string[]> {
  try {
    await eventually(assertion, timeoutMs);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
