import {
  CatalogPricing,
  ChangeOrder,
  HeldOrders,
  OrderLifecycle,
  OrderPlacement,
  StageRetries,
  type IdempotencyScope,
} from '@app/application';
import type { FraudAssessment } from '@app/domain';
import pg from 'pg';
import { StoreFixture, type ProductOptions } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

export interface PlacingPorts {
  readonly store: StoreFixture;
  readonly storeId: number;
  readonly pricing: CatalogPricing;
  readonly placement: OrderPlacement;
  readonly changes: ChangeOrder;
  readonly lifecycle: OrderLifecycle;
  readonly held: HeldOrders;
  readonly retries: StageRetries;
  product(options?: ProductOptions): Promise<number>;
  onHand(productId: number): Promise<number>;
  bins(productId: number): Promise<number[]>;
  /** Lets a running request hold the key. Returns a function that ends the request. */
  holdKey(scope: IdempotencyScope): Promise<() => Promise<void>>;
  stages(orderId: string): Promise<string[]>;
  setStage(orderId: string, stage: string, state: string): Promise<unknown>;
  hasOrder(orderId: string): Promise<boolean>;
  assessment(orderId: string): Promise<FraudAssessment | null>;
}

/** Opens the ports on PostgreSQL, each time with another store. Call it outside of a suite. */
export function placingPorts(): () => Promise<PlacingPorts> {
  let application: RunningApplication;
  beforeAll(async () => (application = await startApplication()));
  afterAll(() => application.stop());
  return () => open(application);
}

async function open({ app, database }: RunningApplication): Promise<PlacingPorts> {
  const store = await StoreFixture.create(database);
  return {
    store,
    storeId: store.id,
    pricing: app.get(CatalogPricing),
    placement: app.get(OrderPlacement),
    changes: app.get(ChangeOrder),
    lifecycle: app.get(OrderLifecycle),
    held: app.get(HeldOrders),
    retries: app.get(StageRetries),
    product: (options) => store.product(options),
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
      await client.query('INSERT INTO idempotency_keys VALUES ($1, $2, $3, $4, $5)', [
        storeId,
        mode,
        key,
        'order',
        'hash',
      ]);
      return () => client.end();
    },
    stages: async (orderId) => {
      const rows = await database.query<{ stage: string; state: string }>(
        `SELECT stage, state FROM order_stages WHERE order_id = $1 AND stage LIKE 'notify-%' ORDER BY stage`,
        [orderId],
      );
      return rows.map(({ stage, state }) => `${stage} ${state}`);
    },
    setStage: (orderId, stage, state) =>
      database.query('UPDATE order_stages SET state = $4 WHERE store_id = $1 AND order_id = $2 AND stage = $3', [
        ...[store.id, orderId, stage, state],
      ]),
    hasOrder: async (orderId) =>
      (await database.query('SELECT 1 FROM orders WHERE store_id = $1 AND id = $2', [store.id, orderId])).length > 0,
    assessment: async (orderId) => {
      const rows = await database.query<FraudAssessment>(
        'SELECT verdict, score, reasons FROM fraud_assessments WHERE store_id = $1 AND order_id = $2',
        [store.id, orderId],
      );
      return rows[0] ?? null;
    },
  };
}
