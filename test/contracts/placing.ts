import { CatalogPricing, HeldOrders, IdempotencyRecords, UnitOfWork, type IdempotencyScope } from '@app/application';
import { Money, Order, OrderLine, type FraudAssessment } from '@app/domain';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryShop } from '../support/in-memory/in-memory-shop.js';
import { startApi } from '../support/start-api.js';

/** The ports of placing an order, and a way to set up and look behind them. */
export interface PlacingPorts {
  readonly storeId: number;
  readonly pricing: CatalogPricing;
  readonly unitOfWork: UnitOfWork;
  readonly idempotency: IdempotencyRecords;
  readonly held: HeldOrders;
  /** Subdomain of the store. */
  readonly subdomain: string;
  product(options?: { name?: string; price?: number; active?: boolean; stock?: number[] }): Promise<number>;
  variant(productId: number, options?: { price?: number; active?: boolean; stock?: number[] }): Promise<number>;
  foreignProduct(): Promise<number>;
  onHand(productId: number): Promise<number>;
  /** Stages of an order and their states. */
  stages(orderId: string): Promise<string[]>;
  hasOrder(orderId: string): Promise<boolean>;
  assessment(orderId: string): Promise<FraudAssessment | null>;
  close(): Promise<void>;
}

/** The same ports, bound twice. */
export const ADAPTERS: [name: string, open: () => Promise<PlacingPorts>][] = [
  ['in memory', openInMemory],
  ['on PostgreSQL', openPostgres],
];

function openInMemory(): Promise<PlacingPorts> {
  const shop = new InMemoryShop();
  return Promise.resolve({
    storeId: 1,
    pricing: shop.pricing,
    unitOfWork: shop.unitOfWork,
    idempotency: shop.idempotency,
    held: shop.held,
    subdomain: 'store-1',
    product: (options) => Promise.resolve(shop.addProduct(options)),
    variant: (productId, options) => Promise.resolve(shop.addVariant(productId, options)),
    foreignProduct: () => Promise.resolve(shop.addProduct({ storeId: 2, stock: [5] })),
    onHand: (productId) => Promise.resolve(shop.onHand(productId)),
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
    unitOfWork: api.app.get(UnitOfWork),
    idempotency: api.app.get(IdempotencyRecords),
    held: api.app.get(HeldOrders),
    subdomain: store.subdomain,
    product: ({ active, ...options } = {}) => store.product({ ...options, status: status(active, 'DRAFT') }),
    variant: (productId, { active, ...options } = {}) =>
      store.variant(productId, { ...options, status: status(active, 'INACTIVE') }),
    foreignProduct: async () => (await StoreFixture.create(database)).product({ stock: 5 }),
    onHand: (productId) => store.onHand(productId),
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

/** An order of one unit; every value that does not matter has a default. */
export function anOrder(storeId: number, { productId = 1, receiptNumber = `WEB-TEST-${++serial}` } = {}): Order {
  return Order.place({
    id: uuidv7(),
    storeId,
    receiptNumber,
    currency: 'USD',
    paymentMethod: 'COD',
    customer: { name: 'Ada', email: '', phone: '' },
    address: { address: '', city: '', zip: '' },
    notes: '',
    isTest: false,
    lines: [
      new OrderLine({
        productId,
        variantId: null,
        sku: '',
        name: 'Mug',
        attributes: {},
        unitPrice: Money.ofMinor(1000, 'USD'),
        quantity: 1,
      }),
    ],
    placedAt: new Date('2026-11-20T12:00:00.000Z'),
  });
}

export function aScope(storeId: number, key = `key-${++serial}`): IdempotencyScope {
  return { storeId, mode: 'live', key };
}
