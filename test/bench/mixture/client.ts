import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../support/seeded-random.js';
import { orderOf, receiptOf } from '../driver/driver.js';
import type { Shop } from '../scene.js';

export const FEED_READERS = 2;
/** Requests per second. */
export const RATES = { order: 40, ship: 9, pay: 8, list: 20, product: 20, search: 5, receipt: 1 } as const;
type Kind = keyof typeof RATES;
const RECEIPT_LINES = 50;

interface Placed {
  readonly id: string;
  /** In minor units. */
  readonly total: number;
}

interface FeedPage {
  readonly cursor: string;
  readonly has_more: boolean;
}

/** A shop's website, its staff and its ERP, which send at fixed rates. */
export class MixtureClient {
  private readonly open: Placed[] = [];
  private readonly shipped: Placed[] = [];
  private readonly answers = new Map<string, number>();
  private readonly random;
  private placed = 0;
  private cursor = '';

  constructor(
    private readonly url: string,
    private readonly shop: Shop,
    seed: number,
  ) {
    this.random = seededRandom(seed);
  }

  /** Sends at the rates, whether or not answers arrive. */
  async run(forSeconds: number): Promise<void> {
    this.answers.clear();
    const end = performance.now() + forSeconds * 1_000;
    const sent = Object.entries(RATES).map(([kind, rate]) => this.sendAt(kind as Kind, rate, end));
    await Promise.all([...sent, ...Array.from({ length: FEED_READERS }, () => this.follow(end))]);
  }

  summary(): string {
    return [...this.answers].map(([what, count]) => `${count} × ${what}`).join(', ');
  }

  private async sendAt(kind: Kind, rate: number, end: number): Promise<void> {
    const requests: Promise<void>[] = [];
    for (let at = performance.now(); at < end; at += 1_000 / rate) {
      await delay(Math.max(0, at - performance.now()));
      requests.push(this[kind]());
    }
    await Promise.all(requests);
  }

  private async order(): Promise<void> {
    const body = orderOf({ kind: 'orders', items: this.shop.items, lines: 3 }, 'mixture', ++this.placed, this.random);
    const data = await this.send<{ order_id: string; total: number }>('/v1/orders', body);
    if (data) this.open.push({ id: data.order_id, total: Math.round(data.total * 100) });
  }

  private async ship(): Promise<void> {
    const order = this.open.shift();
    if (!order) return;
    await this.send(`/v1/orders/${order.id}/shipments`, { reference: 'SHIP-1' });
    this.shipped.push(order);
  }

  private async pay(): Promise<void> {
    const order = this.shipped.shift();
    if (!order) return;
    const payment = { reference: `pi_${order.id}`, amount: order.total, currency: 'USD' };
    await this.send(`/v1/orders/${order.id}/payments`, payment);
  }

  private async list(): Promise<void> {
    await this.send(`/v1/orders?limit=50&page=${1 + this.random(20)}`);
  }

  private async product(): Promise<void> {
    await this.send(`/v1/products/${this.shop.productIds[this.random(this.shop.productIds.length)]}`);
  }

  private async search(): Promise<void> {
    const { emails, receiptNumbers } = this.shop;
    const texts = this.random(2) === 0 ? emails : receiptNumbers;
    await this.send(`/v1/orders?search=${encodeURIComponent(texts[this.random(texts.length)] ?? '')}`);
  }

  private async receipt(): Promise<void> {
    await this.send(
      '/v1/stock',
      receiptOf({ kind: 'receipts', places: this.shop.places, lines: RECEIPT_LINES }, this.random),
    );
  }

  /** Reads the feed until it has no more. */
  async catchUp(): Promise<void> {
    let page: FeedPage;
    do {
      page = await this.readFeed(this.cursor);
      this.cursor = page.cursor;
    } while (page.has_more);
  }

  private async follow(end: number): Promise<void> {
    let { cursor } = this;
    while (performance.now() < end) cursor = (await this.readFeed(cursor)).cursor;
  }

  private async readFeed(cursor: string): Promise<FeedPage> {
    const page = await this.request(`/v1/changes?limit=100&wait=1${cursor && `&cursor=${cursor}`}`);
    return (await page.json()) as FeedPage;
  }

  private async send<Data>(path: string, body?: object): Promise<Data | null> {
    const response = await this.request(path, body);
    const answer = (await response.json()) as { readonly data: Data };
    return response.ok ? answer.data : null;
  }

  private async request(path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.shop.key}`, 'content-type': 'application/json' };
    const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(this.url + path, request);
    const answer = [response.status, response.headers.get('x-error-code') ?? []].flat().join(' ');
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    return response;
  }
}
