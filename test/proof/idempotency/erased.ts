import { operate } from '../support/cli.js';
import type { Shop } from '../support/shop.js';
import { orderBody } from '../support/store-setup.js';

/** Erases a person between an order and its repeat, which must get the first answer and place nothing. */
export async function repeatErased({ context, store, buyers, services, products }: Shop): Promise<string[]> {
  const { database } = context.rig;
  const key = 'erased';
  const body = orderBody([{ product_id: products[0] ?? 0, quantity: 1 }], key);
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
