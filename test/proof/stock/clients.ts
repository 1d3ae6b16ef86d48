import { dataOf } from '../support/history.js';
import { Loops } from '../support/loops.js';
import { inParallel, oneOf, orderBody, shuffled, type OrderBody } from '../support/store-setup.js';
import { MAX_LINES, type Counter, type CounterOptions } from './counter.js';
import type { Asked } from './desk.js';
import { planOf, type Step } from './packing.js';
import type { Bin } from './shelves.js';
import { SoldOrder, type StockOrder } from './sold-order.js';
import type { Till } from './till.js';

const BUYERS = 20;
const PACKERS = 8;
const COUNTERS = 2;
const ADJUSTERS = 2;
/** Products that most orders want, so that everybody meets at their bins. */
const POPULAR = 24;
const RECENT_PLACES = 12;

export interface ClientsOptions extends CounterOptions {
  readonly counter: Counter;
  readonly till: Till;
  readonly orders: number;
  readonly lines: number;
  readonly restMs: number;
}

export class Clients {
  readonly orders: SoldOrder[] = [];
  readonly violations: string[] = [];
  shipped = 0;
  /** The number of the first position after that. */
  calm = 0;
  private readonly waiting: SoldOrder[] = [];
  private readonly readings = new Map<Bin, number>();
  private readonly productIds: readonly number[];
  private readonly popular: readonly Bin[];
  private tried = 0;

  constructor(private readonly options: ClientsOptions) {
    const { bins } = options.shelves;
    this.productIds = [...new Set(bins.map(({ productId }) => productId))];
    const popular = this.productIds.slice(0, POPULAR);
    this.popular = bins.filter(({ productId }) => popular.includes(productId));
  }

  async work(): Promise<void> {
    const { orders, counter, till, shop, shelves, restMs } = this.options;
    const { random } = shop.context;
    const loop = (size: number, act: () => Promise<unknown>, pauseMs: number) => {
      const attempt = () => act().catch((error: Error) => this.violations.push(error.message));
      return new Loops(random, size, pauseMs, attempt);
    };
    for (const bin of shelves.bins) if (random(3) === 0) this.misplace(bin);
    const others = [
      loop(1, () => counter.read(), 40),
      loop(COUNTERS, () => this.count(), restMs),
      loop(ADJUSTERS, () => this.adjust(), 60),
      loop(1, () => this.set(), 60),
      loop(1, () => till.sellDay(this.productIds.slice(0, POPULAR)), 200),
    ];
    const thief = loop(1, () => Promise.resolve(this.misplace(this.anyBin())), 40);
    let isOver = false;
    const packing = inParallel(PACKERS, Array(PACKERS).keys(), async () => {
      while (!isOver || this.waiting.length > 0) await this.packNext();
    });
    const place = async () => {
      while (!(await this.buy(this.basket())));
    };
    const first = Math.round(orders / 2);
    await inParallel(BUYERS, Array(first).keys(), place);
    await thief.stop();
    // The next position may be in the middle of its reading.
    this.calm = counter.places.length + 1;
    await inParallel(BUYERS, Array(orders - first).keys(), place);
    isOver = true;
    await packing;
    await Promise.all(others.map((one) => one.stop()));
    await counter.read();
  }

  async buy(items: OrderBody['items']): Promise<boolean> {
    const { shop, services, shelves } = this.options;
    const placed = await shop.buyers.insist(services, orderBody(items, 'stock'), { key: `stock-${++this.tried}` });
    if (placed.status !== 201) return false;
    const { order_id } = dataOf<{ order_id: string }>(placed);
    const order = new SoldOrder(await this.order(order_id));
    shelves.sell(order.id, order.units);
    this.orders.push(order);
    if (shop.context.random(4) > 0) this.waiting.push(order);
    return true;
  }

  async order(id: string): Promise<StockOrder> {
    const { shop, services } = this.options;
    const request = { method: 'GET', path: `/v1/orders/${id}` };
    return dataOf<StockOrder>(await shop.buyers.insist(services, undefined, request));
  }

  async readBin({ code }: Bin): Promise<number> {
    const { shop, services } = this.options;
    const request = { method: 'GET', path: `/v1/stock?bin=${code}` };
    const [row] = dataOf<{ quantity: number }[]>(await shop.buyers.insist(services, undefined, request));
    return row?.quantity ?? NaN;
  }

  private basket(): OrderBody['items'] {
    const { random } = this.options.shop.context;
    const line = () => {
      const among = random(3) > 0 ? Math.min(POPULAR, this.productIds.length) : this.productIds.length;
      return { product_id: this.productIds[random(among)] ?? 0, quantity: 1 + random(7) };
    };
    const lines = Array.from({ length: 1 + random(3) }, line);
    // A product may be in two lines, which may leave from other bins, and at other times.
    return random(3) > 0 ? lines : [...lines, ...lines.slice(0, 1)];
  }

  private async packNext(): Promise<void> {
    const { random } = this.options.shop.context;
    const [order] = this.waiting.splice(random(this.waiting.length), 1);
    if (!order) return void (await new Promise((resolve) => setTimeout(resolve, 20)));
    try {
      for (const step of planOf(order, random)) if (!(await this.pack(order, step))) return;
    } catch (error) {
      this.violations.push((error as Error).message);
    }
  }

  /** @returns whether the step was possible: an order under review waits. */
  private async pack(order: SoldOrder, { method, route, body, effects }: Step): Promise<boolean> {
    const { shop, services, shelves } = this.options;
    const path = `/v1/orders/${order.id}${route}`;
    let isDone = false;
    await shelves.change(order.units, async () => {
      const key = method === 'POST' ? path : null;
      const { status } = await shop.buyers.insist(services, body, { method, path, key });
      isDone = status === 200 || status === 201;
      return isDone ? effects() : [];
    });
    if (isDone && route === '/shipments') this.shipped++;
    return isDone;
  }

  private async count(): Promise<void> {
    const { counter, shop, lines } = this.options;
    const { random } = shop.context;
    const others = Array.from({ length: lines }, () => this.anyBin());
    const bins = shuffled([...new Set([...this.popular, ...others])], random).slice(0, 1 + random(MAX_LINES));
    const places = counter.places.slice(-RECENT_PLACES);
    await counter.count(bins, () => places[random(places.length)], ['superseded']);
  }

  private async adjust(): Promise<void> {
    const { shop } = this.options;
    const { random } = shop.context;
    const bins = shuffled(this.popular, random).slice(0, 1 + random(8));
    const asked = (random(4) === 0 ? [this.anyBin()] : bins).map((bin) => {
      const units = random(4) === 0 ? -1 - random(4) : 1 + random(20);
      return { bin, units, place: null, write: { adjust: units } };
    });
    await this.report(asked, ['below_zero']);
  }

  private async set(): Promise<void> {
    const { random } = this.options.shop.context;
    const bin = oneOf(this.popular, random);
    const known = this.readings.get(bin);
    const expected = known !== undefined && random(3) > 0 ? known : await this.readBin(bin);
    this.readings.set(bin, expected);
    const units = Math.max(random(20) - 4, -expected);
    await this.report([{ bin, units, place: null, write: { set: expected + units, expected } }], ['stale']);
  }

  private async report(asked: readonly Asked[], refusals: readonly string[]): Promise<void> {
    const { shelves, desk } = this.options;
    await shelves.change(
      asked.map(({ bin }) => bin.code),
      async () => {
        const answered = await desk.post(asked, refusals);
        const applied = answered.filter(({ code }) => code === '');
        return applied.map(({ bin, units }) => ({ bin: bin.code, shelf: units ?? 0, sold: 0 }));
      },
    );
  }

  private misplace(bin: Bin): void {
    const { shop, shelves } = this.options;
    shelves.misplace(bin, shop.context.random(2) === 0 ? -1 : 1 + shop.context.random(3));
  }

  private anyBin(): Bin {
    const { shelves, shop } = this.options;
    return oneOf(shelves.bins, shop.context.random);
  }
}
