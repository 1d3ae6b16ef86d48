import type { ChangeContext, OrderKey } from '@app/application';
import { operator } from '@app/infrastructure';

export function byOperator({ storeId, orderId }: OrderKey): ChangeContext {
  return { order: { storeId, reference: orderId, isTest: null }, actor: operator(), idempotency: null };
}
