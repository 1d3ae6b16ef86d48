import { setTimeout as delay } from 'node:timers/promises';
import type { Buyers } from './buyers.js';
import type { Service } from './service.js';
import { orderBody } from './store-setup.js';

const PATIENCE_MS = 30_000;
const INTERVAL_MS = 50;
const LOG_TAIL = 2_000;

/**
 * The milliseconds from now until the service accepts an order, answers a read and reports ready. Call it when the
 * database is back.
 *
 * @param label unique: it is the order's key.
 * @throws Error after half a minute.
 */
export async function timeToRecover(buyers: Buyers, service: Service, product: number, label: string): Promise<number> {
  const start = Date.now();
  const body = orderBody([{ product_id: product, quantity: 1 }], label);
  const until = (wanted: number, what: string, ask: () => Promise<{ status: number | null }>) =>
    repeatUntil(wanted, { service, start, what: `${label} ${what}` }, ask);
  await Promise.all([
    until(201, 'created', () => buyers.send(service, { body, key: label })),
    until(200, 'read', () => buyers.send(service, { method: 'GET', path: '/v1/products?limit=2' })),
    until(200, 'ready', () => buyers.send(service, { method: 'GET', path: '/health/ready' })),
  ]);
  return Date.now() - start;
}

interface Wait {
  readonly service: Service;
  readonly start: number;
  readonly what: string;
}

async function repeatUntil(
  wanted: number,
  { service, start, what }: Wait,
  ask: () => Promise<{ status: number | null }>,
): Promise<void> {
  for (;;) {
    const { status } = await ask();
    if (status === wanted) return;
    if (!service.isRunning) throw new Error(`Process ${service.pid} ended on its own: ${service.log.slice(-LOG_TAIL)}`);
    if (Date.now() - start > PATIENCE_MS) throw new Error(`Not ${what} after ${PATIENCE_MS} ms: ${status}`);
    await delay(INTERVAL_MS);
  }
}
