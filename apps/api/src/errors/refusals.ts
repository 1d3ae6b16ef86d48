import { InvalidOrderItems, OrderRejected, OutOfStock } from '@app/domain';

/** Why a request for an order placed none. */
export const REFUSALS = [
  'out_of_stock',
  'fraud',
  'items',
  'invalid',
  'unauthorized',
  'in_flight',
  'idempotency_mismatch',
  'throttled',
  'unavailable',
  'error',
] as const;
export type Refusal = (typeof REFUSALS)[number];

const BY_STATUS: Readonly<Record<number, Refusal>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'unauthorized',
  409: 'in_flight',
  422: 'idempotency_mismatch',
  429: 'throttled',
  503: 'unavailable',
};

/** @param status what the client is told. */
export function refusalOf(error: unknown, status: number): Refusal {
  if (error instanceof OutOfStock) return 'out_of_stock';
  if (error instanceof OrderRejected) return 'fraud';
  if (error instanceof InvalidOrderItems) return 'items';
  return BY_STATUS[status] ?? 'error';
}
