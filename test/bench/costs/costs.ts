import type { TestDatabase } from '../../support/test-database.js';
import type { Orders, Reads } from '../driver/job.js';
import { ask } from '../support/ask.js';
import { tagOf } from '../support/tag-of.js';
import type { Shop } from '../works/shop.js';
import { switchFeed } from './switch-feed.js';

/** A comparison of the service with itself. */
export interface Cost {
  readonly name: string;
  readonly measured: Side;
  readonly baseline: Side;
  /** The highest allowed CPU time of the measured side, as a fraction of the baseline's. */
  readonly goal: number;
}

export interface Side {
  readonly title: string;
  readonly requests: (asked: Asked) => Promise<Reads | Orders> | Reads | Orders;
  /** Runs before each load of this side. */
  readonly prepare?: (database: TestDatabase) => Promise<void>;
}

/** The service, and the store that the requests are about. */
export interface Asked {
  readonly url: string;
  readonly shop: Shop;
}

const PAGES = Array.from({ length: 10 }, (_, index) => index + 1);

const read = (path: string): Reads => ({ kind: 'reads', paths: [path] });
const list = (kind: string): Side => ({
  title: `GET /v1/${kind}?limit=100, pages 1–10`,
  requests: () => ({ kind: 'reads', paths: PAGES.map((page) => `/v1/${kind}?limit=100&page=${page}`) }),
});
const feed = (kind: string): Side => ({
  title: `GET /v1/changes?kinds=${kind}&limit=100, pages 1–10`,
  requests: async ({ url, shop }) => {
    const paths: string[] = [];
    for (let path = `/v1/changes?kinds=${kind}&limit=100`; paths.length < PAGES.length;) {
      paths.push(path);
      const { cursor } = JSON.parse(await ask(url + path, shop)) as { cursor: string };
      path = `/v1/changes?cursor=${cursor}&limit=100`;
    }
    return { kind: 'reads', paths };
  },
});
const conditional = (name: string, title: string, pathIn: (shop: Shop) => string): Cost => ({
  name,
  measured: {
    title: `${title}, 304`,
    requests: async ({ url, shop }) => ({ ...read(pathIn(shop)), tag: await tagOf(url + pathIn(shop), shop.key) }),
  },
  baseline: { title: `${title}, 200`, requests: ({ shop }) => read(pathIn(shop)) },
  goal: 0.5,
});
const orders = (title: string, mode: 'ENABLE' | 'DISABLE'): Side => ({
  title,
  requests: ({ shop: { items } }) => ({ kind: 'orders', items, lines: 3 }),
  prepare: (database) => switchFeed(database, mode),
});

export const COSTS: readonly Cost[] = [
  { name: 'C1', measured: feed('orders'), baseline: list('orders'), goal: 1 },
  { name: 'C2', measured: feed('products'), baseline: list('products'), goal: 1 },
  conditional('C3', 'GET /v1/orders', () => '/v1/orders'),
  conditional('C4', 'GET /v1/orders/{id}', ({ orderIds: [id = ''] }) => `/v1/orders/${id}`),
  conditional('C5', 'GET /v1/products', () => '/v1/products'),
  {
    name: 'C6',
    measured: orders('POST /v1/orders, 3 lines, with the pipeline and the feed', 'ENABLE'),
    baseline: orders('the same without the triggers of the feed', 'DISABLE'),
    goal: 1.05,
  },
];
