import { Money } from '../money/money.js';
import { PaidAmountMismatch } from '../errors.js';
import { assertPaidInFull } from './paid-amount.js';

describe('assertPaidInFull', () => {
  const owed = Money.ofMinor(5297, 'USD');

  it('accepts exactly the amount owed', () => {
    expect(() => assertPaidInFull(Money.parse('52.97', 'USD'), owed)).not.toThrow();
  });

  it.each([
    ['a cent too little', 5296, 'USD'],
    ['a cent too much', 5298, 'USD'],
    ['nothing', 0, 'USD'],
    ['major units taken for minor ones', 529700, 'USD'],
    ['the same number of another currency', 5297, 'JPY'],
  ])('rejects %s', (_case, minor, currency) => {
    expect(() => assertPaidInFull(Money.ofMinor(minor, currency), owed)).toThrow(PaidAmountMismatch);
  });

  it('names both amounts when it rejects', () => {
    expect(() => assertPaidInFull(Money.ofMinor(5296, 'EUR'), owed)).toThrow(
      'The paid amount 5296 EUR is not the amount owed 5297 USD (in minor units)',
    );
  });
});
