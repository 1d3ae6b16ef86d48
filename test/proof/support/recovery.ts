import { setTimeout as delay } from 'node:timers/promises';
import type { Buyers } from './buyers.js';
import type { Service } from './service.js';
import { orderBody } from './store-setup.js';

const PATIENCE_MS = 30_000;
const INTERVAL_MS = 50;

/**
 * How long it takes until the service takes an order, answers a question and calls itself ready, in milliseconds from
 * now: call it when the database is back.
 *
 * @param label must be used once only: it is the order's key.
 * @throws Error when it takes half a minute.
 */
export async function timeToRecover(buyers: Buyers, service: Service, product: number, label: string): Promise<number> {
  const start = Date.now();
  const body = orderBody([{ product_id: product, quantity: 1 }], label);
  await Promise.all([
    until(start, 201, `${label} created`, () => buyers.send(service, { body, key: label })),
    until(start, 200, `${label} read`, () => buyers.send(service, { method: 'GET', path: '/v1/products?limit=2' })),
    until(start, 200, `${label} ready`, () => buyers.send(service, { method: 'GET', path: '/health/ready' })),
  ]);
  return Date.now() - start;
}

async function until(start: number, wanted: number, what: string, ask: () => Promise<{ status: number | null }>) {
  for (;;) {
    const { status } = await ask();
    if (status === wanted) return;
    if (Date.now() - start > PATIENCE_MS) throw new Error(`Not ${what} after ${PATIENCE_MS} ms: ${status}`);
    await delay(INTERVAL_MS);
  }
}
