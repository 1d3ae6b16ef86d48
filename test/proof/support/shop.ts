import { StoreFixture } from '../../builders/store-fixture.js';
import { Buyers } from './buyers.js';
import type { ProofContext } from './proof.js';
import type { Service } from './service.js';
import { stockShelves } from './store-setup.js';

/** A store with products in stock, its clients, and the two processes that they share with other proofs. */
export interface Shop {
  readonly context: ProofContext;
  readonly store: StoreFixture;
  readonly products: readonly number[];
  readonly services: readonly [Service, Service];
  readonly buyers: Buyers;
}

/** @param stock units of each product, by bin. */
export async function openShop(context: ProofContext, products: number, stock: readonly number[]): Promise<Shop> {
  const { rig, history, random } = context;
  const store = await StoreFixture.create(rig.database);
  const services = await rig.pair();
  const shelves = await stockShelves(store, products, stock);
  return { context, store, products: shelves, services, buyers: new Buyers(store, history, random) };
}
