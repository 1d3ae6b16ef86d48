import { setTimeout as delay } from 'node:timers/promises';
import { dataOf } from '../support/history.js';
import { SteadyRate } from '../support/loops.js';
import type { Service } from '../support/service.js';
import { anyItem, type StockedStore } from '../support/shop.js';
import { oneOf, orderBody } from '../support/store-setup.js';

const ORDERS_PER_SECOND = 30;
const READS_PER_SECOND = 20;
const SHIPMENT_EVERY = 3;
const TIMEOUT_MS = 180_000;

/** Sends at a fixed rate, regardless of earlier answers. Buyers repeat an order until it is acknowledged. */
export class Traffic {
  readonly violations: string[] = [];
  private readonly orders: SteadyRate;
  private readonly reads: SteadyRate;

  constructor(
    private readonly shop: StockedStore,
    private readonly services: readonly Service[],
    label: string,
  ) {
    const fail = (error: Error) => this.violations.push(`${label}: ${error.message}`);
    this.orders = new SteadyRate(ORDERS_PER_SECOND, (n) =>
      this.order(`${label}-${n}`, n % SHIPMENT_EVERY === 0).catch(fail),
    );
    this.reads = new SteadyRate(READS_PER_SECOND, () => this.read());
  }

  async untilFlowing(): Promise<void> {
    const giveUpAt = Date.now() + TIMEOUT_MS;
    while (this.orders.waiting > ORDERS_PER_SECOND) {
      if (Date.now() > giveUpAt) throw new Error(`${this.orders.waiting} orders still wait after ${TIMEOUT_MS} ms`);
      await delay(100);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.orders.stop(), this.reads.stop()]);
  }

  private async order(key: string, ships: boolean): Promise<void> {
    const { shop, services } = this;
    const { buyers } = shop;
    const retries = { timeoutMs: TIMEOUT_MS };
    const placed = await buyers.insist(services, orderBody([anyItem(shop, 2)], 'failover'), { ...retries, key });
    if (placed.status !== 201) throw new Error(`${key} was answered ${placed.status}`);
    const { order_id: id } = dataOf<{ order_id: string }>(placed);
    const read = await this.get(`/v1/orders/${id}`);
    if (read.status === 404) throw new Error(`order ${id} was acknowledged and could not be read`);
    if (!ships) return;
    const path = `/v1/orders/${id}/shipments`;
    const shipped = await buyers.insist(services, { reference: key }, { ...retries, path });
    if (shipped.status !== 201) throw new Error(`the shipment of ${key} was answered ${shipped.status}`);
  }

  private read() {
    const { context, products } = this.shop;
    const isList = context.random(2) === 0;
    return this.get(isList ? '/v1/products?limit=5' : `/v1/products/${oneOf(products, context.random)}`);
  }

  private get(path: string) {
    const { buyers, context } = this.shop;
    return buyers.send(oneOf(this.services, context.random), { method: 'GET', path });
  }
}
