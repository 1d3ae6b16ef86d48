import { StoreFixture } from '../../builders/store-fixture.js';
import { Buyers } from './buyers.js';
import type { ProofContext } from './proof.js';
import type { Service } from './service.js';

export interface StockedStore {
  readonly context: ProofContext;
  readonly store: StoreFixture;
  readonly products: readonly number[];
  readonly buyers: Buyers;
}

/** The store, with the two processes that it shares with other proofs. */
export interface Shop extends StockedStore {
  readonly services: readonly [Service, Service];
}

export async function openStore(context: ProofContext, count: number, stock: readonly number[]): Promise<StockedStore> {
  const { rig, history, random } = context;
  const store = await StoreFixture.create(rig.database);
  const products: number[] = [];
  // Prices differ, so that a swapped price is noticed.
  for (let n = 0; n < count; n++) products.push(await store.product({ price: 199 + 101 * n, stock }));
  return { context, store, products, buyers: new Buyers(store, history, random) };
}

export async function openShop(context: ProofContext, products: number, stock: readonly number[]): Promise<Shop> {
  return { ...(await openStore(context, products, stock)), services: await context.rig.pair() };
}

export function anyItem({ products, context: { random } }: Pick<StockedStore, 'products' | 'context'>, most = 1) {
  return { product_id: products[random(products.length)] ?? 0, quantity: most === 1 ? 1 : 1 + random(most) };
}

export async function mailMerchant({ rig }: ProofContext, store: Pick<StoreFixture, 'id'>): Promise<void> {
  const contact = JSON.stringify({ email: 'merchant@example.com' });
  await rig.database.query('UPDATE stores SET contact = $2 WHERE id = $1', [store.id, contact]);
}
