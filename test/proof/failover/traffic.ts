import { setTimeout as delay } from 'node:timers/promises';
import type { Buyers } from '../support/buyers.js';
import { SteadyRate } from '../support/loops.js';
import { orderBody } from '../support/store-setup.js';

const ORDERS_PER_SECOND = 30;
const READS_PER_SECOND = 20;
/** One order in this many is shipped. */
const SHIPMENT_EVERY = 3;
const PATIENCE_MS = 180_000;

export interface TrafficOptions {
  readonly buyers: Buyers;
  readonly services: readonly { readonly url: string }[];
  readonly products: readonly number[];
  readonly random: (below: number) => number;
}

/**
 * Orders with keys and reads of the catalog, at a fixed rate regardless of earlier answers. Buyers repeat an order until
 * it is acknowledged, then read it, and ship some.
 */
export class Traffic {
  readonly violations: string[] = [];
  private readonly orders: SteadyRate;
  private readonly reads: SteadyRate;

  /** @param label unique: it begins the keys. */
  constructor(
    private readonly options: TrafficOptions,
    label: string,
  ) {
    const fail = (error: Error) => this.violations.push(`${label}: ${error.message}`);
    this.orders = new SteadyRate(ORDERS_PER_SECOND, (n) =>
      this.order(`${label}-${n}`, n % SHIPMENT_EVERY === 0).catch(fail),
    );
    this.reads = new SteadyRate(READS_PER_SECOND, () => this.read());
  }

  /** Waits until the buyers that had to wait have their orders. @throws Error when some never get one. */
  async untilFlowing(): Promise<void> {
    const giveUp = Date.now() + PATIENCE_MS;
    while (this.orders.waiting > ORDERS_PER_SECOND) {
      if (Date.now() > giveUp) throw new Error(`${this.orders.waiting} orders still wait after ${PATIENCE_MS} ms`);
      await delay(100);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.orders.stop(), this.reads.stop()]);
  }

  private async order(key: string, ships: boolean): Promise<void> {
    const { buyers, services, products, random } = this.options;
    const items = [{ product_id: products[random(products.length)] ?? 0, quantity: 1 + random(2) }];
    const { status, bytes } = await buyers.insist(services, orderBody(items, 'failover'), {
      key,
      patienceMs: PATIENCE_MS,
    });
    if (status !== 201) throw new Error(`${key} was answered ${status}`);
    const { data } = JSON.parse(bytes.toString()) as { data: { order_id: string } };
    const read = await buyers.send(this.anyService(), { method: 'GET', path: `/v1/orders/${data.order_id}` });
    if (read.status === 404) throw new Error(`order ${data.order_id} was acknowledged and could not be read`);
    if (!ships) return;
    const path = `/v1/orders/${data.order_id}/shipments`;
    const shipped = await buyers.insist(services, { reference: key }, { path, patienceMs: PATIENCE_MS });
    if (shipped.status !== 201) throw new Error(`the shipment of ${key} was answered ${shipped.status}`);
  }

  private read(): Promise<unknown> {
    const { buyers, products, random } = this.options;
    const path = random(2) === 0 ? '/v1/products?limit=5' : `/v1/products/${products[random(products.length)]}`;
    return buyers.send(this.anyService(), { method: 'GET', path });
  }

  private anyService(): { readonly url: string } {
    const { services, random } = this.options;
    return services[random(services.length)] ?? { url: '' };
  }
}
