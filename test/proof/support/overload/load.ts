import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { keepingAgent, type Buyers } from '../buyers.js';
import type { Service } from '../service.js';
import { orderBody } from '../store-setup.js';

/** One request in this many is an order. */
const ORDER_EVERY = 20;
/** One order in this many is shipped. */
const SHIPMENT_EVERY = 4;
const TICK_MS = 5;
/** The maximum number of waiting clients; with more, the test would measure the generator itself. */
const MOST_WAITING = 2_000;
/** Of the readers, and as many of the buyers. Together they stay below the connection limit of a process. */
const KEPT = 1_920;

/** A client's view of a request. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tookMs: number;
  /** `null` = no complete answer. */
  readonly status: number | null;
  readonly isOrder: boolean;
  /** The fault in the answer; `null` = none. */
  readonly fault: string | null;
}

export interface LoadOptions {
  readonly service: Service;
  readonly key: string;
  /** Sends the orders, because the oracle must know each of them. */
  readonly buyers: Buyers;
  readonly products: readonly number[];
  readonly random: (below: number) => number;
}

const PATHS = ['/v1/products?limit=20', '/v1/orders?limit=20', '/v1/store', '/v1/customers?limit=20'];

/** Clients who read, sometimes order, and ship some of the orders. They never retry. */
export class Load {
  private readonly agent = keepingAgent();
  private serial = 0;
  private waiting = 0;
  private readonly unshipped: string[] = [];

  constructor(private readonly options: LoadOptions) {}

  /** Each client sends its next request after its answer. */
  async closedLoop(clients: number, lastsMs: number): Promise<Sample[]> {
    const samples: Sample[] = [];
    const end = Date.now() + lastsMs;
    const client = async () => {
      while (Date.now() < end) samples.push(await this.one());
    };
    await Promise.all(Array.from({ length: clients }, client));
    return samples;
  }

  /** Sends requests at a fixed rate, regardless of the answers. */
  async openLoop(perSecond: number, lastsMs: number): Promise<{ samples: Sample[]; unsent: number }> {
    const samples: Sample[] = [];
    const asked = new Set<Promise<unknown>>();
    const start = performance.now();
    let [due, unsent] = [0, 0];
    for (let elapsed = 0; elapsed < lastsMs; elapsed = performance.now() - start) {
      for (const target = (elapsed / 1_000) * perSecond; due < target; due++) {
        if (this.waiting >= MOST_WAITING) {
          unsent++;
          continue;
        }
        const one = this.one().then((sample) => {
          samples.push(sample);
          asked.delete(one);
        });
        asked.add(one);
      }
      await delay(TICK_MS);
    }
    await Promise.all(asked);
    return { samples, unsent };
  }

  /**
   * Opens the connections of all clients, as a load balancer keeps them. New connections would wait: Node accepts one per
   * turn of its event loop.
   */
  async connect(): Promise<void> {
    for (const agent of [this.agent, this.options.buyers.agent]) {
      await Promise.all(Array.from({ length: KEPT }, () => this.ask('/health/live', agent)));
    }
  }

  /** Requests so far. */
  get sent(): number {
    return this.serial;
  }

  close(): void {
    this.agent.destroy();
  }

  private async one(): Promise<Sample> {
    this.waiting++;
    try {
      const isOrder = ++this.serial % ORDER_EVERY === 0;
      if (isOrder) return await this.order();
      const order = this.serial % (ORDER_EVERY * SHIPMENT_EVERY) === 1 ? this.unshipped.pop() : undefined;
      return await (order === undefined ? this.read() : this.ship(order));
    } finally {
      this.waiting--;
    }
  }

  private async order(): Promise<Sample> {
    const { buyers, products, random, service } = this.options;
    const body = orderBody([{ product_id: products[random(products.length)] ?? 0, quantity: 1 }], 'overload');
    const { at, tookMs, status, headers, bytes, error } = await buyers.send(service, { body });
    if (status === 201) {
      this.unshipped.push((JSON.parse(bytes.toString()) as { data: { order_id: string } }).data.order_id);
    }
    return { at, tookMs, status, isOrder: true, fault: error ?? faultOf(status, headers, bytes.toString()) };
  }

  private async ship(order: string): Promise<Sample> {
    const { buyers, service } = this.options;
    const shipment = { path: `/v1/orders/${order}/shipments`, body: { reference: 'S' } };
    const { at, tookMs, status, headers, bytes, error } = await buyers.send(service, shipment);
    return { at, tookMs, status, isOrder: false, fault: error ?? faultOf(status, headers, bytes.toString()) };
  }

  private read(): Promise<Sample> {
    return this.ask(PATHS[this.serial % PATHS.length] ?? '', this.agent);
  }

  private ask(path: string, agent: http.Agent): Promise<Sample> {
    const { service, key } = this.options;
    const at = Date.now();
    const headers = { authorization: `Bearer ${key}` };
    return new Promise((resolve) => {
      const end = (status: number | null, fault: string | null) =>
        resolve({ at, tookMs: Date.now() - at, status, isOrder: false, fault });
      const request = http.request(service.url + path, { headers, agent }, (response) => {
        const { statusCode = 0 } = response;
        let text = '';
        // A success needs only its time.
        if (statusCode === 200) response.resume();
        else response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => end(statusCode, faultOf(statusCode, response.headers, text)));
        response.on('error', (error) => end(null, error.message));
      });
      request.on('error', (error: NodeJS.ErrnoException) => end(null, error.code ?? error.message));
      request.end();
    });
  }
}

function faultOf(status: number | null, headers: http.IncomingHttpHeaders, text: string): string | null {
  if (status === 200 || status === 201) return null;
  if (status !== 503 && status !== 429) return `answered ${status}`;
  if (!/^\d+$/.test(headers['retry-after'] ?? '')) return `${status} without Retry-After`;
  return /^\{"success":false,"error":"[^"]+"\}$/.test(text)
    ? null
    : `${status} without an envelope: ${text.slice(0, 100)}`;
}
