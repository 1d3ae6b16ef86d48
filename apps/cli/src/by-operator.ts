import type { ChangeContext, OrderKey } from '@app/application';
import { operator } from '@app/infrastructure';

/** A change that an operator makes, to a live or a test order. */
export function byOperator({ storeId, orderId }: OrderKey): ChangeContext {
  return { order: { storeId, reference: orderId, isTest: null }, actor: operator(), idempotency: null };
}
