import { PaidAmountMismatch } from '../errors.js';
import type { Money } from '../money/money.js';

/** An amount in minor units of its currency. May be negative, as on a credit note. */
export type Amount = Pick<Money, 'minor' | 'currency'>;

/**
 * Checks a gateway's callback: the paid amount must be the order's own total, in the order's currency.
 *
 * @throws PaidAmountMismatch when it is less, more, or in another currency.
 */
export function assertPaidInFull(paid: Amount, owed: Amount): void {
  if (paid.minor !== owed.minor || paid.currency !== owed.currency) throw new PaidAmountMismatch(paid, owed);
}
