import { setTimeout as delay } from 'node:timers/promises';
import { dataOf, type Exchange } from '../support/history.js';
import { anyItem, type StockedStore } from '../support/shop.js';
import { inParallel, oneOf, orderBody } from '../support/store-setup.js';
import { excessOf, type OrderAnswer } from './order-answer.js';
import { drawRequest, type Placed } from './requests.js';

const CLIENTS = 30;
/** Orders that change at the same time: about five clients share each. */
const TOGETHER = 6;
const KEYS = 4;
const LONGEST_LOST_MS = 60;

export const SPENT_BEFORE = 5_000;

export interface ClientsOptions {
  readonly shop: StockedStore;
  readonly services: readonly { readonly url: string }[];
  readonly orders: number;
  readonly requestsPerOrder: number;
}

export class Clients {
  readonly orders: Placed[] = [];
  readonly violations: string[] = [];
  repeated = 0;

  constructor(private readonly options: ClientsOptions) {}

  async place(): Promise<void> {
    const { shop, services, orders } = this.options;
    const { random } = shop.context;
    const emails = Array.from({ length: Math.ceil(orders / TOGETHER) }, (_, n) => `regular-${n}@example.com`);
    for (const email of emails) await shop.store.customer({ email, total_spent: SPENT_BEFORE });
    await inParallel(CLIENTS, Array(orders).keys(), async (n) => {
      const items = Array.from({ length: 1 + random(3) }, () => anyItem(shop, 4));
      const { customer, ...body } = orderBody(items, 'life');
      const email = n % TOGETHER > 0 && emails[Math.floor(n / TOGETHER)];
      const of = { ...body, customer: { ...customer, ...(email && { email }) } };
      const placed = await shop.buyers.insist(services, of, { key: `life-${n}` });
      const path = `/v1/orders/${dataOf<{ order_id: string }>(placed).order_id}`;
      this.orders[n] = dataOf(await shop.buyers.insist(services, undefined, { method: 'GET', path }));
    });
  }

  async change(): Promise<void> {
    const { orders, requestsPerOrder } = this.options;
    await inParallel(CLIENTS, Array(orders * requestsPerOrder).keys(), (n) =>
      this.changeOne(n).catch((error: Error) => this.violations.push(error.message)),
    );
  }

  private async changeOne(n: number): Promise<void> {
    const { shop, services, requestsPerOrder } = this.options;
    const { random } = shop.context;
    const first = Math.floor(n / requestsPerOrder);
    const number = Math.min(first + random(TOGETHER), this.orders.length - 1);
    const order = this.orders[number] as Placed;
    const { method, route, body } = drawRequest(order, random, n);
    const key = method === 'POST' && random(3) > 0 ? `life-${number}${route}-${random(KEYS)}` : null;
    const request = { method, path: `/v1/orders/${order.id}${route}`, key };
    if (random(6) === 0) {
      this.repeated++;
      const timeoutMs = 1 + random(LONGEST_LOST_MS);
      this.observe(await shop.buyers.send(oneOf(services, random), { ...request, body, timeoutMs }));
    }
    this.observe(await shop.buyers.insist(services, body, { ...request, hurry: true }));
    await delay(random(20));
  }

  private observe(exchange: Exchange): void {
    if (exchange.status !== 200 && exchange.status !== 201) return;
    const order = dataOf<OrderAnswer>(exchange);
    const told = `${exchange.method} ${exchange.path} ${exchange.body ?? ''}`;
    this.violations.push(...excessOf(order).map((text) => `order ${order.id}: ${text}, in the answer to ${told}`));
  }
}
