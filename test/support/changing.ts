import { NO_DETAILS } from '@app/domain';
import type { ChangeContext, OrderKey } from '@app/application';

export function changing({ storeId, orderId }: OrderKey): ChangeContext {
  return {
    order: { storeId, reference: orderId, isTest: null },
    actor: { type: 'operator', id: '', name: 'test' },
    idempotency: null,
  };
}

export const PAYMENT = {
  ...{ reference: 'pi_1', amount: 1000, currency: 'USD', partial: false, settles: false, excess: false, at: null },
  ...NO_DETAILS,
  requestHash: 'hash',
};
export const CANCELLATION = { reason: '', restock: true, notify: false };
