import { eventually } from '../../support/eventually.js';
import type { RequestOptions } from './buyers.js';
import type { Service } from './service.js';
import type { StockedStore } from './shop.js';
import { orderBody } from './store-setup.js';

const TIMEOUT_MS = 30_000;

/** Call it when the database is back. @param label unique: it is the order's key. @throws Error after half a minute. */
export async function timeToRecover(
  { buyers, products }: StockedStore,
  service: Service,
  label: string,
): Promise<number> {
  const start = Date.now();
  const body = orderBody([{ product_id: products[0] ?? 0, quantity: 1 }], label);
  const until = (wanted: number, request: RequestOptions) =>
    eventually(async () => {
      const { status, error } = await buyers.send(service, request);
      if (status !== wanted) throw new Error(`${label}: ${request.path ?? 'an order'} is answered ${status ?? error}`);
    }, TIMEOUT_MS);
  await Promise.all([
    until(201, { body, key: label }),
    until(200, { method: 'GET', path: '/v1/products?limit=2' }),
    until(200, { method: 'GET', path: '/health/ready' }),
  ]);
  return Date.now() - start;
}
