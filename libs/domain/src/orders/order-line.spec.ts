import { Money } from '../money/money.js';
import { InvalidOrderItems } from '../errors.js';
import { orderLineOf, type OrderLine, type OrderLineDraft } from './order-line.js';

function aLine(overrides: Partial<OrderLineDraft> = {}): OrderLine {
  return orderLineOf({
    productId: 1,
    variantId: null,
    sku: 'MUG',
    name: 'Mug',
    attributes: {},
    unitPrice: Money.ofMinor(1099, 'USD'),
    quantity: 1,
    ...overrides,
  });
}

describe('orderLineOf', () => {
  it.each([1, 2, 998, 999])('accepts a quantity of %d', (quantity) => {
    expect(aLine({ quantity }).quantity).toBe(quantity);
  });

  it.each([0, -1, 1000, 1.5, NaN, Infinity])('refuses a quantity of %d', (quantity) => {
    expect(() => aLine({ quantity })).toThrow(
      new InvalidOrderItems('The quantity of a line must be an integer from 1 to 999'),
    );
  });

  it('totals the unit price times the quantity', () => {
    expect(aLine({ quantity: 3 }).total).toEqual(Money.ofMinor(3297, 'USD'));
  });

  it('keeps what it was made from, whatever happens to its draft later', () => {
    const snapshot = { productId: 7, variantId: 8, sku: 'R-42', name: 'Runner', attributes: { Size: '42' } };
    const draft = { ...snapshot, unitPrice: Money.ofMinor(100, 'USD'), quantity: 2 };
    const line = orderLineOf(draft);

    draft.name = 'New';

    expect(line).toMatchObject(snapshot);
  });
});
