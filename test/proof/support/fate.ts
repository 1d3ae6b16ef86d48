import type { History } from './history.js';

/** The number of acknowledged orders, and of those that the oracle reports as missing or duplicated. */
export function fateOfOrders({ exchanges }: History, violations: readonly string[]): string {
  const keys = exchanges
    .filter(({ status, path }) => status === 201 && path === '/v1/orders')
    .map(({ idempotencyKey }) => idempotencyKey);
  const orders = new Set(keys.filter((key) => key !== null)).size + keys.filter((key) => key === null).length;
  const lost = violations.filter((text) => text.endsWith('and does not exist')).length;
  const doubled = violations.filter((text) => /has \d+ orders|was given to both/.test(text)).length;
  return `${orders} orders acknowledged, ${lost} lost, ${doubled} doubled`;
}
