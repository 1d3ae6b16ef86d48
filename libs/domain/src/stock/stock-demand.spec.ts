import { sameStock, sumDemand } from './stock-demand.js';

const line = (productId: number, variantId: number | null, quantity: number) => ({ productId, variantId, quantity });
const units = (position: number, quantity: number) => ({ line: position, quantity });

describe('sumDemand', () => {
  it('sums lines of one product, in order of first appearance, and keeps their positions', () => {
    expect(sumDemand([line(9, null, 2), line(2, null, 1), line(9, null, 3)])).toEqual([
      { productId: 9, variantId: null, quantity: 5, lines: [units(0, 2), units(2, 3)] },
      { productId: 2, variantId: null, quantity: 1, lines: [units(1, 1)] },
    ]);
  });

  it('keeps a product, its variants and their namesakes apart', () => {
    const lines = [line(1, null, 1), line(1, 5, 1), line(1, 6, 1), line(2, 5, 1), line(1, 0, 1)];

    expect(sumDemand(lines).map((demand) => demand.lines)).toEqual([0, 1, 2, 3, 4].map((index) => [units(index, 1)]));
  });
});

describe('sameStock', () => {
  it.each([
    [1, null, 1, null, true],
    [1, 5, 1, 5, true],
    [1, 5, 1, 6, false],
    [1, 5, 2, 5, false],
    [1, null, 1, 0, false],
  ])('compares (%j, %j) with (%j, %j): %j', (productId, variantId, otherProduct, otherVariant, same) => {
    expect(sameStock({ productId, variantId }, { productId: otherProduct, variantId: otherVariant })).toBe(same);
  });
});
