import type { Orders, Reads, Receipts } from './driver/driver.js';
import type { Shop } from './scene.js';

/** The minimum rate and the maximum CPU time of a request, as fractions of those of the reference. */
export type Goals = readonly [speed: number, cpu?: number];

export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly requests: (shop: Shop) => Reads | Orders | Receipts;
  readonly goals: Goals;
}

const PAGES = Array.from({ length: 20 }, (_, index) => index + 1);
const CLIENTS = 32;
const CROWD = 64;

const reads = (name: string, title: string, goals: Goals, paths: (shop: Shop) => readonly string[]): Workload => ({
  name,
  title: `GET ${title}`,
  connections: CLIENTS,
  requests: (shop) => ({ kind: 'reads', paths: paths(shop) }),
  goals,
});
const pages = (name: string, list: string, goals: Goals): Workload =>
  reads(name, `${list}?limit=50, pages 1–20`, goals, () => PAGES.map((page) => `${list}?limit=50&page=${page}`));
const searches = (texts: readonly string[]) => texts.map((text) => `/v1/orders?search=${encodeURIComponent(text)}`);
const spread = ({ items }: Shop): Orders => ({ kind: 'orders', items, lines: 3 });

/** Reads come first, then receipts: orders make the lists and the stock of the two sides differ. */
export const WORKS: readonly Workload[] = [
  pages('W1', '/v1/products', [1, 0.95]),
  reads('W2', '/v1/products/{id}', [1.2, 0.65], ({ productIds }) => productIds.map((id) => `/v1/products/${id}`)),
  pages('W3', '/v1/orders', [0.95, 1.05]),
  reads('W4', '/v1/orders/{id}', [1.2, 0.65], ({ orderIds }) => orderIds.map((id) => `/v1/orders/${id}`)),
  reads('W5a', '/v1/orders?search={whole e-mail}', [0.8, 1.3], ({ emails }) => searches(emails)),
  reads('W5b', '/v1/orders?search={whole receipt number}', [0.7, 1.5], ({ receiptNumbers }) =>
    searches(receiptNumbers),
  ),
  reads('W8', '/v1/store', [1], () => ['/v1/store']),
  pages('W9', '/v1/skus', [1]),
  {
    name: 'W10',
    title: 'POST /v1/stock, receipts of 500 lines',
    // A delivery arrives alone, and the reference would deadlock.
    connections: 1,
    requests: ({ places }) => ({ kind: 'receipts', places, lines: 500 }),
    goals: [0.5],
  },
  { name: 'W6', title: 'POST /v1/orders, 3 lines', connections: CLIENTS, requests: spread, goals: [0.8, 1.5] },
  {
    name: 'W7',
    title: 'POST /v1/orders, all for one product',
    connections: CROWD,
    requests: ({ hotProductId }) => ({ kind: 'orders', items: [{ product_id: hotProductId }], lines: 1 }),
    goals: [0.9],
  },
];
