import { dataOf, type Exchange } from '../support/history.js';
import { SteadyRate } from '../support/loops.js';
import { anyItem } from '../support/shop.js';
import { oneOf, orderBody } from '../support/store-setup.js';
import type { Scene } from './scene.js';

const NEIGHBOURS_PER_S = 2;
/** An order in this many is cancelled, and a request in this many from before the first move is repeated. */
const CANCELLED_OF = 5;
const REPEATED_OF = 4;
/** With this delay, some stages are being sent at any moment. */
const MAIL_MS = 250;

/** Places orders through the router, like clients that wait as long as they are asked to, and repeat with their key. */
export class Traffic {
  readonly cancelled = new Set<string>();
  readonly violations: string[] = [];
  readonly began = Date.now();
  private readonly rates: readonly SteadyRate[];
  private readonly before: readonly Exchange[];

  constructor(
    private readonly scene: Scene,
    perSecond: number,
  ) {
    const { context, shop, home, other } = scene;
    this.before = context.history.orders(shop.store.id);
    for (const { sink } of [home, other]) sink.behaviour = { kind: 'slow', at: 'message', ms: MAIL_MS };
    scene.follower.start();
    this.rates = [
      new SteadyRate(perSecond, (n) => this.buy(n).catch((error: Error) => void this.violations.push(error.message))),
      ...[home, other].map(
        ({ neighbour }) =>
          new SteadyRate(NEIGHBOURS_PER_S, (n) =>
            neighbour.buyers.send(scene.router, { body: orderBody([anyItem(neighbour)], 'next'), key: `next-${n}` }),
          ),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.rates, this.scene.follower].map((client) => client.stop()));
  }

  /** @param key when null, the change holds no row of the store except the order. */
  async cancel(orderId: string, key: string | null): Promise<void> {
    const { shop, router } = this.scene;
    const path = `/v1/orders/${orderId}/cancel`;
    const { status } = await shop.buyers.insist([router], { reason: 'Enough' }, { path, key });
    if (status === 200 || status === 201) this.cancelled.add(orderId);
    else this.violations.push(`the cancellation of order ${orderId} was answered ${status}`);
  }

  private async buy(n: number): Promise<void> {
    const { shop, router, context } = this.scene;
    const placed = await shop.buyers.insist([router], orderBody([anyItem(shop)], 'move'), { key: `move-${n}` });
    if (placed.status === 201 && n % CANCELLED_OF === 0) {
      await this.cancel(dataOf<{ order_id: string }>(placed).order_id, `cancel-${n}`);
    }
    if (n % REPEATED_OF === 0) {
      const { body, idempotencyKey } = oneOf(this.before, context.random);
      await shop.buyers.insist([router], Buffer.from(body ?? ''), { key: idempotencyKey });
    }
  }
}
