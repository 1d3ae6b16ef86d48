import type { StoreFixture } from '../../builders/store-fixture.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { Buyers } from '../support/buyers.js';
import { operate } from '../support/pipeline/operator.js';
import type { Service } from '../support/service.js';
import { orderBody } from '../support/store-setup.js';

interface Erasure {
  readonly database: TestDatabase;
  readonly store: StoreFixture;
  readonly buyers: Buyers;
  readonly services: readonly [Service, Service];
  readonly product: number;
}

/** Erases a person between an order and its repeat, which must get the first answer and place nothing. */
export async function repeatErased({ database, store, buyers, services, product }: Erasure): Promise<string[]> {
  const key = 'erased';
  const body = orderBody([{ product_id: product, quantity: 1 }], key);
  const count = async () => (await database.query('SELECT FROM orders WHERE store_id = $1', [store.id])).length;
  const first = await buyers.send(services[0], { body, key });
  const before = await count();
  const email = String(body.customer['email']);
  await operate(database.url, 'customers', 'erase', email, '--store', store.subdomain, '--force');
  const repeat = await buyers.send(services[1], { body, key });
  const placed = (await count()) - before;
  return [
    ...(placed > 0 ? [`the repeat of an erased order placed ${placed} orders`] : []),
    ...(repeat.bytes.equals(first.bytes) ? [] : [`the repeat of an erased order was answered ${repeat.status}`]),
  ];
}
