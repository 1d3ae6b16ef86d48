import { isDeeperThan } from './json-depth.js';

const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('isDeeperThan', () => {
  it.each([
    [8, false],
    [9, true],
    [100_000, true],
  ])('of %i arrays in one another, with 8 allowed, is %s', (levels, expected) => {
    expect(isDeeperThan(8, nested(levels))).toBe(expected);
  });

  it('counts objects and arrays alike, and no plain values', () => {
    expect(isDeeperThan(3, { items: [{ product_id: 1 }] })).toBe(false);
    expect(isDeeperThan(2, { items: [{ product_id: 1 }] })).toBe(true);
    expect(isDeeperThan(0, 'text')).toBe(false);
  });

  it('is quick on a wide body', () => {
    expect(
      isDeeperThan(
        8,
        Array.from({ length: 120_000 }, () => []),
      ),
    ).toBe(false);
  });
});
