import type { Orders, Reads } from '../driver/job.js';
import type { Shop } from './shop.js';

/** A kind of request that clients of a store send continuously. */
export interface Work {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly requests: (shop: Shop) => Reads | Orders;
  /** `null`: measured alone, without the references. */
  readonly goal: Goal | null;
  /** Settings of the service that only this work needs. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Goal {
  /** The service's requests per second, as a fraction of those of the bare reference. */
  readonly ratio: number;
  /** The highest allowed ratio of the service's 99th percentile to its median. */
  readonly tail?: number;
}

const PAGES = Array.from({ length: 20 }, (_, index) => index + 1);
const MANY = 32;
const CROWD = 64;

const reads = (paths: readonly string[]): Reads => ({ kind: 'reads', paths });
const searches = (texts: readonly string[]): Reads =>
  reads(texts.map((text) => `/v1/orders?search=${encodeURIComponent(text)}`));
const spread = ({ items }: Shop): Orders => ({ kind: 'orders', items, lines: 3 });

export const WORKS: readonly Work[] = [
  {
    name: 'W1',
    title: 'GET /v1/products?limit=50, pages 1–20',
    connections: MANY,
    requests: () => reads(PAGES.map((page) => `/v1/products?limit=50&page=${page}`)),
    goal: { ratio: 1 },
  },
  {
    name: 'W2',
    title: 'GET /v1/products/{id}',
    connections: MANY,
    requests: ({ productIds }) => reads(productIds.map((id) => `/v1/products/${id}`)),
    goal: { ratio: 1 },
  },
  {
    name: 'W3',
    title: 'GET /v1/orders?limit=50, pages 1–20',
    connections: MANY,
    requests: () => reads(PAGES.map((page) => `/v1/orders?limit=50&page=${page}`)),
    goal: { ratio: 1 },
  },
  {
    name: 'W4',
    title: 'GET /v1/orders/{id}',
    connections: MANY,
    requests: ({ orderIds }) => reads(orderIds.map((id) => `/v1/orders/${id}`)),
    goal: { ratio: 1 },
  },
  {
    name: 'W5a',
    title: 'GET /v1/orders?search={whole e-mail}',
    connections: MANY,
    requests: ({ emails }) => searches(emails),
    goal: { ratio: 0.5 },
  },
  {
    name: 'W5b',
    title: 'GET /v1/orders?search={whole receipt number}',
    connections: MANY,
    requests: ({ receiptNumbers }) => searches(receiptNumbers),
    goal: { ratio: 0.5 },
  },
  {
    name: 'W8',
    title: 'GET /v1/store',
    connections: MANY,
    requests: () => reads(['/v1/store']),
    goal: { ratio: 1 },
  },
  {
    name: 'W9',
    title: 'GET /v1/skus?limit=50, pages 1–20',
    connections: MANY,
    requests: () => reads(PAGES.map((page) => `/v1/skus?limit=50&page=${page}`)),
    goal: { ratio: 1 },
  },
  {
    name: 'W6',
    title: 'POST /v1/orders, 3 lines',
    connections: MANY,
    requests: spread,
    goal: { ratio: 0.95 },
  },
  {
    name: 'W7',
    title: 'POST /v1/orders, all for one product',
    connections: CROWD,
    requests: ({ hotProductId }) => ({ kind: 'orders', items: [{ product_id: hotProductId }], lines: 1 }),
    goal: { ratio: 0.7, tail: 10 },
  },
  {
    name: 'W6 inline',
    title: 'W6 with the mail worker in the same process',
    connections: MANY,
    requests: spread,
    // Its worker goes on after a round, and would take the machine from a reference.
    goal: null,
    env: { PIPELINE: 'inline' },
  },
];
