import { userInfo } from 'node:os';
import type { ChangeContext, OrderKey } from '@app/application';
import type { Actor } from '@app/domain';

/** The account that runs the command. */
export function operator(): Actor {
  return { type: 'operator', id: '', name: userInfo().username };
}

/** A change that an operator makes, to a live or a test order. */
export function byOperator({ storeId, orderId }: OrderKey): ChangeContext {
  return { order: { storeId, reference: orderId, isTest: null }, actor: operator(), idempotency: null };
}
