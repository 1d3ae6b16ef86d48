import type { ChangeContext, OrderKey } from '@app/application';

export function changing({ storeId, orderId }: OrderKey): ChangeContext {
  return {
    order: { storeId, reference: orderId, isTest: null },
    actor: { type: 'operator', id: '', name: 'test' },
    idempotency: null,
  };
}

export const PAYMENT = {
  ...{ reference: 'pi_1', amount: 1000, currency: 'USD', partial: false, settles: false, at: null },
  requestHash: 'hash',
};
export const CANCELLATION = { reason: '', restock: true, notify: false };
