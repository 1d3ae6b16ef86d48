import type { Money } from '../money/money.js';
import { DomainError } from '../shared/domain-error.js';

/** A gateway reports another amount than the server computed. */
export class PaidAmountMismatch extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'paid_amount_mismatch';

  constructor() {
    super('The paid amount is not the amount owed');
  }
}

/**
 * The check of a gateway's callback: what was paid must be the server's own total, in the server's currency.
 *
 * @throws PaidAmountMismatch when it is not, whether too little or too much.
 */
export function assertPaidInFull(paid: Money, owed: Money): void {
  if (!paid.equals(owed)) throw new PaidAmountMismatch();
}
