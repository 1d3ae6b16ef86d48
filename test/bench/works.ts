import type { Orders, Reads } from './driver/driver.js';
import type { Shop } from './scene.js';

export interface Work {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly requests: (shop: Shop) => Reads | Orders;
  /** The wanted requests per second, as a fraction of those of the reference. */
  readonly goal: number;
}

const PAGES = Array.from({ length: 20 }, (_, index) => index + 1);
const CLIENTS = 32;
const CROWD = 64;

const reads = (name: string, title: string, goal: number, paths: (shop: Shop) => readonly string[]): Work => ({
  name,
  title: `GET ${title}`,
  connections: CLIENTS,
  requests: (shop) => ({ kind: 'reads', paths: paths(shop) }),
  goal,
});
const pages = (name: string, list: string, goal: number): Work =>
  reads(name, `${list}?limit=50, pages 1–20`, goal, () => PAGES.map((page) => `${list}?limit=50&page=${page}`));
const searches = (texts: readonly string[]) => texts.map((text) => `/v1/orders?search=${encodeURIComponent(text)}`);
const spread = ({ items }: Shop): Orders => ({ kind: 'orders', items, lines: 3 });

/** The reads first: orders make the lists of the two sides differ. */
export const WORKS: readonly Work[] = [
  pages('W1', '/v1/products', 1.5),
  reads('W2', '/v1/products/{id}', 1.2, ({ productIds }) => productIds.map((id) => `/v1/products/${id}`)),
  pages('W3', '/v1/orders', 1),
  reads('W4', '/v1/orders/{id}', 1.1, ({ orderIds }) => orderIds.map((id) => `/v1/orders/${id}`)),
  reads('W5a', '/v1/orders?search={whole e-mail}', 0.8, ({ emails }) => searches(emails)),
  reads('W5b', '/v1/orders?search={whole receipt number}', 0.6, ({ receiptNumbers }) => searches(receiptNumbers)),
  reads('W8', '/v1/store', 1, () => ['/v1/store']),
  { name: 'W6', title: 'POST /v1/orders, 3 lines', connections: CLIENTS, requests: spread, goal: 0.75 },
  {
    name: 'W7',
    title: 'POST /v1/orders, all for one product',
    connections: CROWD,
    requests: ({ hotProductId }) => ({ kind: 'orders', items: [{ product_id: hotProductId }], lines: 1 }),
    goal: 0.9,
  },
];
