import { setTimeout as delay } from 'node:timers/promises';
import { Buyers } from '../proof/support/buyers.js';
import type { History } from '../proof/support/history.js';
import { orderBody } from '../proof/support/store-setup.js';

const CLIENTS = 20;
const PAUSE_MS = 200;

export interface ClientsOptions {
  readonly shop: { readonly url: string };
  readonly store: { readonly id: number; readonly key: string };
  readonly products: readonly number[];
  readonly history: History;
  readonly random: (below: number) => number;
}

/** Clients that read the catalog, place an order and read it at once. They never retry. */
export class Clients {
  private readonly buyers: Buyers;
  private readonly members: Promise<unknown>;
  private isOpen = true;

  constructor(private readonly options: ClientsOptions) {
    this.buyers = new Buyers(options.store, options.history, options.random);
    this.members = Promise.all(Array.from({ length: CLIENTS }, (_, n) => this.member(n)));
  }

  /** Resolves when the last answer has arrived. */
  async leave(): Promise<void> {
    this.isOpen = false;
    await this.members;
    this.buyers.close();
  }

  private async member(n: number): Promise<void> {
    const { products, random } = this.options;
    for (let i = 0; this.isOpen; i++) {
      await delay(random(PAUSE_MS));
      const product = products[random(products.length)] ?? 0;
      if ((n + i) % 3 === 0) await this.order(product, `${n}-${i}`);
      else await this.read(i % 2 === 0 ? `/v1/products/${product}` : '/v1/products?limit=10');
    }
  }

  private async order(product_id: number, key: string): Promise<void> {
    const { shop, random } = this.options;
    const body = orderBody([{ product_id, quantity: 1 + random(3) }], 'topology');
    const placed = await this.buyers.send(shop, { body, key });
    if (placed.status !== 201) return;
    const { data } = JSON.parse(placed.bytes.toString()) as { data: { order_id: string } };
    // A placed order must be readable at once, on every process.
    await this.read(`/v1/orders/${data.order_id}`);
  }

  private read(path: string): Promise<unknown> {
    return this.buyers.send(this.options.shop, { method: 'GET', path });
  }
}
