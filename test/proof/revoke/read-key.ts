import type { Exchange } from '../support/history.js';
import type { Service } from '../support/service.js';

/** Checks that a read key read on every process and placed no order. */
export function readKeyViolations(exchanges: readonly Exchange[], services: readonly Service[]): string[] {
  const violations = exchanges
    .filter(({ method, status, headers }) =>
      method === 'GET' ? status !== 200 : status !== 403 || headers['x-error-code'] !== 'insufficient_scope',
    )
    .map(({ method, path, status, error }) => `a read key: ${method} ${path} ${status ?? error}`);
  for (const { url, pid } of services) {
    for (const method of ['GET', 'POST']) {
      const isUsed = exchanges.some((exchange) => exchange.service === url && exchange.method === method);
      if (!isUsed) violations.push(`the read key sent no ${method} to process ${pid}`);
    }
  }
  return violations;
}
