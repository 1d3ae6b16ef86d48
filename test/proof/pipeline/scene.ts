import { setTimeout as delay } from 'node:timers/promises';
import type { SmtpSink } from '../../support/smtp-sink.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import { dataOf } from '../support/history.js';
import type { QueueClock } from '../support/queue-clock.js';
import type { Rig } from '../support/rig.js';
import type { Ending, Service } from '../support/service.js';
import type { Shop } from '../support/shop.js';
import { orderBody } from '../support/store-setup.js';

/** What stops the customer's mail: the mailer (`poison`), the mail server (`blocked`), or a review. */
export type OrderKind = 'good' | 'poison' | 'blocked' | 'review';

export interface PlacedOrder {
  readonly id: string;
  readonly kind: OrderKind;
  readonly email: string;
}

/** Reference of every shipment. Its hash is in the Message-ID. */
export const SHIPMENT = 'SHIP/1';

export interface Scene extends Shop {
  readonly sink: SmtpSink;
  readonly crew: WorkerCrew;
  readonly proxy: TcpProxy;
  readonly clock: QueueClock;
  readonly orders: PlacedOrder[];
  readonly shipped: string[];
}

let serial = 0;

export async function place(scene: Scene, kind: OrderKind = 'good'): Promise<PlacedOrder> {
  const { products, buyers, services, sink, orders } = scene;
  const product_id = products.at(kind === 'review' ? -1 : 0) ?? 0;
  const body = orderBody([{ product_id, quantity: 1 }], kind);
  const email = body.customer['email'] ?? '';
  if (kind === 'blocked') sink.blocked.add(email);
  const answer = await buyers.insist(services, body, { key: `pipeline-${++serial}` });
  if (answer.status !== 201) throw new Error(`An order was answered ${answer.status}: ${answer.bytes.toString()}`);
  const placed = { id: dataOf<{ order_id: string }>(answer).order_id, kind, email };
  orders.push(placed);
  return placed;
}

export async function ship({ buyers, services, shipped }: Scene, { id }: PlacedOrder): Promise<void> {
  const answer = await buyers.insist(services, { reference: SHIPMENT }, { path: `/v1/orders/${id}/shipments` });
  if (answer.status === 201) shipped.push(id);
  else if (answer.headers['x-error-code'] !== 'order_held') throw new Error(`A shipment was answered ${answer.status}`);
}

export interface StageRow {
  readonly order_id: string;
  readonly stage: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string;
}

export function stagesOf({ context, store }: Scene): Promise<StageRow[]> {
  return context.rig.database.query<StageRow>(
    `SELECT order_id, stage, reference, state, attempts, last_error FROM order_stages
     WHERE store_id = $1 AND stage LIKE 'notify-%' ORDER BY order_id, stage, reference`,
    [store.id],
  );
}

/** Whether a stage can end without a person's help. */
export function canSucceed({ kind }: PlacedOrder, stage: string): boolean {
  return kind === 'good' || stage === 'notify-merchant';
}

/** @param hurry advances the clock, again and again. @returns a text for each stage that is not done in time. */
export async function untilDelivered(
  scene: Scene,
  deadlineMs: number,
  hurry: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const giveUpAt = Date.now() + deadlineMs;
  const known = new Map(scene.orders.map((order) => [order.id, order]));
  for (;;) {
    const open = (await stagesOf(scene)).filter(({ order_id, stage, state }) => {
      const order = known.get(order_id);
      // Stages of an order that was not analysed are held until it is.
      const waits = state === 'held' && order?.kind !== 'review';
      return order && ((canSucceed(order, stage) && state !== 'done') || waits);
    });
    if (open.length === 0) return [];
    if (Date.now() > giveUpAt) {
      return open.map(({ order_id, stage, state }) => `${stage} of order ${order_id} is still ${state}`);
    }
    await hurry();
    await delay(100);
  }
}

export class WorkerCrew {
  kills = 0;
  private workers: Service[] = [];

  constructor(
    private readonly rig: Rig,
    private readonly databaseUrl: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  async hire(count: number): Promise<void> {
    const start = () => this.rig.startWorker({ databaseUrl: this.databaseUrl, env: this.env });
    this.workers.push(...(await Promise.all(Array.from({ length: count }, start))));
  }

  get pids(): readonly number[] {
    return this.workers.map(({ pid }) => pid);
  }

  async killAll(): Promise<void> {
    this.kills += this.workers.length;
    await Promise.all(this.workers.splice(0).map((worker) => worker.kill()));
  }

  async replace(index: number): Promise<void> {
    const worker = this.workers[index] as Service;
    this.kills++;
    await worker.kill();
    this.workers[index] = await this.rig.restart(worker);
  }

  dismissAll(): Promise<Ending[]> {
    return Promise.all(this.workers.splice(0).map((worker) => worker.terminate()));
  }
}
