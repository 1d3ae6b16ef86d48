import { Buyers } from '../proof/support/buyers.js';
import type { History } from '../proof/support/history.js';
import { Loops } from '../proof/support/loops.js';
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
  private readonly members: Loops;

  constructor(private readonly options: ClientsOptions) {
    const { store, history, products, random } = options;
    this.buyers = new Buyers(store, history, random);
    const act = (n: number, turn: number) => {
      const product = products[random(products.length)] ?? 0;
      if ((n + turn) % 3 === 0) return this.order(product, `${n}-${turn}`);
      return this.read(turn % 2 === 0 ? `/v1/products/${product}` : '/v1/products?limit=10');
    };
    this.members = new Loops(CLIENTS, act, () => random(PAUSE_MS));
  }

  /** Resolves when the last answer has arrived. */
  async leave(): Promise<void> {
    await this.members.stop();
    this.buyers.close();
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
