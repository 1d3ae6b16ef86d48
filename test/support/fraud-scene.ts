import { StoreFixture } from '../builders/store-fixture.js';
import type { RunningApi } from './start-api.js';

export interface Assessment {
  readonly verdict: string;
  readonly score: number;
  readonly reasons: readonly { readonly rule: string; readonly score: number }[];
}

const MINUTE_MS = 60_000;

export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

export class FraudScene {
  private constructor(
    private readonly api: RunningApi,
    readonly store: StoreFixture,
    readonly product: number,
  ) {}

  static async create(api: RunningApi, price = 1000): Promise<FraudScene> {
    const store = await StoreFixture.create(api.database);
    return new FraudScene(api, store, await store.product({ price, stock: 5000 }));
  }

  place(customer: object, quantity = 1, key = this.store.key) {
    const items = [{ product_id: this.product, quantity }];
    const body = { items, customer: { name: 'Ada', ...customer } };
    return this.api.post('/v1/orders', body, { authorization: `Bearer ${key}` });
  }

  ship(id: string) {
    return this.api.post(`/v1/orders/${id}/shipments`, { reference: 'S-1' }, this.authorization);
  }

  correct(id: string, patch: object) {
    return this.api.patch(`/v1/orders/${id}`, patch, this.authorization);
  }

  /** Creates a key whose orders the velocity rules ignore. */
  async trustedKey(): Promise<string> {
    const key = await this.store.createKey();
    const trust = 'UPDATE api_keys SET trusted = true WHERE store_id = $1 AND last_four = $2';
    await this.api.database.query(trust, [this.store.id, key.slice(-4)]);
    return key;
  }

  async read(placing: ReturnType<FraudScene['place']>): Promise<{ fraud: Assessment; [field: string]: unknown }> {
    const response = await placing;
    expect(response.statusCode).toBe(201);
    const { order_id } = response.json<{ data: { order_id: string } }>().data;
    const read = await this.api.get(`/v1/orders/${order_id}`, this.authorization);
    return read.json<{ data: { fraud: Assessment } }>().data;
  }

  async assess(customer: object, quantity?: number): Promise<Assessment> {
    return (await this.read(this.place(customer, quantity))).fraud;
  }

  async rules(customer: object, quantity?: number): Promise<string[]> {
    return (await this.assess(customer, quantity)).reasons.map(({ rule }) => rule);
  }

  async configure(settings: object): Promise<void> {
    await this.api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [this.store.id, settings]);
  }

  /** Adds orders of the API that are 10 minutes old. The values are columns of the table. */
  async recentOrders(count: number, values: Record<string, unknown>, store = this.store): Promise<void> {
    const defaults = { source: 'WEBSITE', created_at: minutesAgo(10) };
    for (let n = 0; n < count; n++) await store.order({ ...defaults, ...values });
  }

  private get authorization() {
    return { authorization: `Bearer ${this.store.key}` };
  }
}
