import type http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Buyers, type RequestOptions } from '../support/buyers.js';
import { dataOf, type Exchange } from '../support/history.js';
import type { Service } from '../support/service.js';
import { anyItem, type StockedStore } from '../support/shop.js';
import { orderBody } from '../support/store-setup.js';

/** A request in this many is an order. */
const ORDER_EVERY = 20;
const SHIPMENT_EVERY = 4;
const TICK_MS = 5;
/** The maximum number of waiting clients; with more, the test would measure the generator itself. */
const MAX_WAITING = 2_000;
/** Connections of the readers, and as many of the buyers. Together they stay below the connection limit of a process. */
const KEPT = 1_920;

export interface Sample extends Pick<Exchange, 'at' | 'tookMs' | 'status'> {
  readonly isOrder: boolean;
  readonly fault: string | null;
}

const PATHS = ['/v1/products?limit=20', '/v1/orders?limit=20', '/v1/store', '/v1/customers?limit=20'];

export class Load {
  sent = 0;
  private readonly readers: Buyers;
  private waiting = 0;
  private readonly unshipped: string[] = [];

  constructor(
    private readonly shop: StockedStore,
    private readonly service: Service,
  ) {
    // The history has no room for all reads. The oracle must know each order.
    this.readers = new Buyers(shop.store, { add: () => undefined }, shop.context.random);
  }

  async closedLoop(clients: number, lastsMs: number): Promise<Sample[]> {
    const samples: Sample[] = [];
    const end = Date.now() + lastsMs;
    const client = async () => {
      while (Date.now() < end) samples.push(await this.one());
    };
    await Promise.all(Array.from({ length: clients }, client));
    return samples;
  }

  async openLoop(perSecond: number, lastsMs: number): Promise<{ samples: Sample[]; unsent: number }> {
    const asked: Promise<Sample>[] = [];
    const start = performance.now();
    let [due, unsent] = [0, 0];
    for (let elapsed = 0; elapsed < lastsMs; elapsed = performance.now() - start) {
      for (const target = (elapsed / 1_000) * perSecond; due < target; due++) {
        if (this.waiting >= MAX_WAITING) unsent++;
        else asked.push(this.one());
      }
      await delay(TICK_MS);
    }
    return { samples: await Promise.all(asked), unsent };
  }

  /**
   * Keeps connections open, like a load balancer. New connections would wait: Node accepts one per turn of its event
   * loop.
   */
  async connect(): Promise<void> {
    const probe = { method: 'GET', path: '/health/live' };
    for (const clients of [this.readers, this.shop.buyers]) {
      await Promise.all(Array.from({ length: KEPT }, () => clients.send(this.service, probe)));
    }
  }

  close(): void {
    this.readers.close();
    this.shop.buyers.close();
  }

  private async one(): Promise<Sample> {
    this.waiting++;
    try {
      const { buyers } = this.shop;
      if (++this.sent % ORDER_EVERY === 0) {
        const [sample, exchange] = await this.ask(buyers, { body: orderBody([anyItem(this.shop)], 'overload') }, true);
        if (exchange.status === 201) this.unshipped.push(dataOf<{ order_id: string }>(exchange).order_id);
        return sample;
      }
      const order = this.sent % (ORDER_EVERY * SHIPMENT_EVERY) === 1 ? this.unshipped.pop() : undefined;
      const [sample] = await (order === undefined
        ? this.ask(this.readers, { method: 'GET', path: PATHS[this.sent % PATHS.length] })
        : this.ask(buyers, { path: `/v1/orders/${order}/shipments`, body: { reference: 'S' } }));
      return sample;
    } finally {
      this.waiting--;
    }
  }

  private async ask(clients: Buyers, request: RequestOptions, isOrder = false): Promise<[Sample, Exchange]> {
    const exchange = await clients.send(this.service, request);
    const { at, tookMs, status, error, headers, bytes } = exchange;
    return [{ at, tookMs, status, isOrder, fault: error ?? faultOf(status, headers, bytes) }, exchange];
  }
}

function faultOf(status: number | null, headers: http.IncomingHttpHeaders, bytes: Buffer): string | null {
  if (status === 200 || status === 201) return null;
  if (status !== 503 && status !== 429) return `answered ${status}`;
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) return `${status} without Retry-After`;
  const text = bytes.toString();
  return /^\{"success":false,"error":"[^"]+","code":"\w+"\}$/.test(text)
    ? null
    : `${status} without an envelope: ${text.slice(0, 100)}`;
}
