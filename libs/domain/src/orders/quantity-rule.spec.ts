import { isOffered, unofferedText } from './quantity-rule.js';

describe('isOffered', () => {
  it.each<[number, number, number, boolean]>([
    [1, 1, 1, true],
    [5, 6, 1, false],
    [6, 6, 1, true],
    [7, 6, 1, true],
    [6, 1, 6, true],
    [7, 1, 6, false],
    [6, 10, 6, false],
    [12, 10, 6, true],
    [10, 10, 6, false],
  ])('of %i units, from %i in steps of %i: %j', (quantity, minQuantity, step, expected) => {
    expect(isOffered(quantity, { minQuantity, step })).toBe(expected);
  });
});

describe('unofferedText', () => {
  it.each<[number, number, string]>([
    [6, 6, '5 is not offered: order at least 6, in steps of 6'],
    [6, 1, '5 is not offered: order at least 6'],
    [1, 6, '5 is not offered: order in steps of 6'],
  ])('names what is offered from %i in steps of %i', (minQuantity, step, expected) => {
    expect(unofferedText(5, { minQuantity, step })).toBe(expected);
  });
});
