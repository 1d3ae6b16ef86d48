import {
  CatalogPricing,
  Deadline,
  HeldOrders,
  OrderLifecycle,
  OrderPlacement,
  StageRetries,
  type IdempotencyScope,
  type Placement,
  type PlacementOutcome,
} from '@app/application';
import { Money, Order, OrderLine, sumDemand, type FraudAssessment } from '@app/domain';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryShop } from '../support/in-memory/in-memory-shop.js';
import { startApi } from '../support/start-api.js';

/** The ports that place and change orders, with methods that add fixtures and read the stored data. */
export interface PlacingPorts {
  readonly storeId: number;
  readonly pricing: CatalogPricing;
  readonly placement: OrderPlacement;
  readonly lifecycle: OrderLifecycle;
  readonly held: HeldOrders;
  readonly retries: StageRetries;
  /** Subdomain of the store. */
  readonly subdomain: string;
  product(options?: { name?: string; price?: number; active?: boolean; stock?: number[] }): Promise<number>;
  variant(productId: number, options?: { price?: number; active?: boolean; stock?: number[] }): Promise<number>;
  foreignProduct(): Promise<number>;
  onHand(productId: number): Promise<number>;
  /** Quantities of a product, by bin id. */
  bins(productId: number): Promise<number[]>;
  /** Lets a running request hold the key. Returns a function that ends the request. */
  holdKey(scope: IdempotencyScope): Promise<() => Promise<void>>;
  /** Stages of an order and their states. */
  stages(orderId: string): Promise<string[]>;
  hasOrder(orderId: string): Promise<boolean>;
  assessment(orderId: string): Promise<FraudAssessment | null>;
  close(): Promise<void>;
}

/** The ports with each of their adapters. */
export const ADAPTERS: [name: string, open: () => Promise<PlacingPorts>][] = [
  ['in memory', openInMemory],
  ['on PostgreSQL', openPostgres],
];

function openInMemory(): Promise<PlacingPorts> {
  const shop = new InMemoryShop();
  return Promise.resolve({
    storeId: 1,
    pricing: shop.pricing,
    placement: shop.placement,
    lifecycle: shop.lifecycle,
    held: shop.held,
    retries: shop.retries,
    subdomain: 'store-1',
    product: (options) => Promise.resolve(shop.addProduct(options)),
    variant: (productId, options) => Promise.resolve(shop.addVariant(productId, options)),
    foreignProduct: () => Promise.resolve(shop.addProduct({ storeId: 2, stock: [5] })),
    onHand: (productId) => Promise.resolve(shop.onHand(productId)),
    bins: (productId) => Promise.resolve(shop.bins(productId)),
    holdKey: (scope) => {
      const release = shop.holdKey(scope);
      return Promise.resolve(() => Promise.resolve(release()));
    },
    stages: (orderId) =>
      Promise.resolve(shop.queued.filter((job) => job.orderId === orderId).map((job) => `${job.stage} ${job.state}`)),
    hasOrder: (orderId) => Promise.resolve(shop.orders.some(({ order }) => order.id === orderId)),
    assessment: (orderId) => Promise.resolve(shop.orders.find(({ order }) => order.id === orderId)?.assessment ?? null),
    close: () => Promise.resolve(),
  });
}

async function openPostgres(): Promise<PlacingPorts> {
  const api = await startApi();
  const { store, database } = api;
  const status = (active: boolean | undefined, inactive: string) => (active === false ? inactive : 'ACTIVE');
  return {
    storeId: store.id,
    pricing: api.app.get(CatalogPricing),
    placement: api.app.get(OrderPlacement),
    lifecycle: api.app.get(OrderLifecycle),
    held: api.app.get(HeldOrders),
    retries: api.app.get(StageRetries),
    subdomain: store.subdomain,
    product: ({ active, ...options } = {}) => store.product({ ...options, status: status(active, 'DRAFT') }),
    variant: (productId, { active, ...options } = {}) =>
      store.variant(productId, { ...options, status: status(active, 'INACTIVE') }),
    foreignProduct: async () => (await StoreFixture.create(database)).product({ stock: 5 }),
    onHand: (productId) => store.onHand(productId),
    bins: async (productId) => {
      const rows = await database.query<{ quantity: number }>(
        'SELECT quantity FROM stock WHERE store_id = $1 AND product_id = $2 AND variant_id IS NULL ORDER BY bin_id',
        [store.id, productId],
      );
      return rows.map(({ quantity }) => quantity);
    },
    holdKey: async ({ storeId, mode, key }) => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('BEGIN');
      await client.query('INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4)', [storeId, mode, key, 'hash']);
      return () => client.end();
    },
    stages: async (orderId) => {
      const rows = await database.query<{ stage: string; state: string }>(
        `SELECT stage, state FROM order_stages WHERE order_id = $1 AND stage LIKE 'notify-%' ORDER BY position`,
        [orderId],
      );
      return rows.map(({ stage, state }) => `${stage} ${state}`);
    },
    hasOrder: async (orderId) =>
      (await database.query('SELECT 1 FROM orders WHERE store_id = $1 AND id = $2', [store.id, orderId])).length > 0,
    assessment: async (orderId) => {
      const rows = await database.query<FraudAssessment>(
        'SELECT verdict, score, reasons FROM fraud_assessments WHERE store_id = $1 AND order_id = $2',
        [store.id, orderId],
      );
      return rows[0] ?? null;
    },
    close: () => api.stop(),
  };
}

let serial = 0;

interface OrderOptions {
  readonly id?: string;
  readonly receiptNumber?: string;
  /** Defaults to one unit of product 1, at 10.00 each. */
  readonly items?: readonly { readonly productId: number; readonly quantity: number }[];
  readonly externalReference?: string;
  readonly isTest?: boolean;
}

/** An order with defaults for all values that are not given. */
export function anOrder(
  storeId: number,
  {
    id = uuidv7(),
    receiptNumber = `WEB-TEST-${++serial}`,
    items = [{ productId: 1, quantity: 1 }],
    externalReference = '',
    isTest = false,
  }: OrderOptions = {},
): Order {
  const unitPrice = Money.ofMinor(1000, 'USD');
  return Order.place({
    id,
    storeId,
    receiptNumber,
    currency: 'USD',
    paymentMethod: 'COD',
    customer: { name: 'Ada', email: '', phone: '' },
    address: { address: '', city: '', zip: '' },
    notes: '',
    externalReference,
    isTest,
    lines: items.map(
      (item) => new OrderLine({ ...item, variantId: null, sku: '', name: 'Mug', attributes: {}, unitPrice }),
    ),
    placedAt: new Date('2026-11-20T12:00:00.000Z'),
  });
}

export const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };

/** Places an order with the demand of its lines. */
export function placeOrder(
  placement: OrderPlacement,
  order: Order,
  more: Partial<Omit<Placement, 'order'>> = {},
  deadline = Deadline.in(5_000),
): Promise<PlacementOutcome> {
  const demand = sumDemand(order.lines);
  return placement.place({ order, demand, assessment: ACCEPTED, idempotency: null, ...more }, deadline);
}

export function aScope(storeId: number, key = `key-${++serial}`): IdempotencyScope {
  return { storeId, mode: 'live', key };
}
