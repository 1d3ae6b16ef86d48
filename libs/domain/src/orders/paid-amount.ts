import type { Money } from '../money/money.js';
import { DomainError } from '../shared/domain-error.js';

/** An amount in minor units of its currency. May be negative, as on a credit note. */
export type Amount = Pick<Money, 'minor' | 'currency'>;

/** A gateway reports another amount than the order's total. */
export class PaidAmountMismatch extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'amount_mismatch';

  constructor(
    readonly paid: Amount,
    readonly owed: Amount,
  ) {
    super(`The paid amount ${textOf(paid)} is not the amount owed ${textOf(owed)} (in minor units)`);
  }
}

/**
 * Checks a gateway's callback: the paid amount must be the order's own total, in the order's currency.
 *
 * @throws PaidAmountMismatch when it is less, more, or in another currency.
 */
export function assertPaidInFull(paid: Amount, owed: Amount): void {
  if (paid.minor !== owed.minor || paid.currency !== owed.currency) throw new PaidAmountMismatch(paid, owed);
}

function textOf({ minor, currency }: Amount): string {
  return `${minor} ${currency}`;
}
