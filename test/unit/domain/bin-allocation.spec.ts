import { seededRandom } from '../../support/seeded-random.js';
import { allocateFromBins, type BinStock } from '../../../libs/domain/src/inventory/bin-allocation.js';

const sum = (bins: readonly BinStock[]) => bins.reduce((total, { quantity }) => total + quantity, 0);

describe('allocateFromBins', () => {
  const bins = [
    { binId: 1, quantity: 2 },
    { binId: 2, quantity: 5 },
    { binId: 3, quantity: 0 },
    { binId: 4, quantity: 2 },
  ];

  it.each<[string, number, BinStock[]]>([
    ['one bin when it holds enough', 5, [{ binId: 2, quantity: 5 }]],
    ['a part of a bin', 3, [{ binId: 2, quantity: 3 }]],
    [
      'the fullest bin first, then the lower id',
      6,
      [
        { binId: 2, quantity: 5 },
        { binId: 1, quantity: 1 },
      ],
    ],
    [
      'every non-empty bin when the whole stock is needed',
      9,
      [
        { binId: 2, quantity: 5 },
        { binId: 1, quantity: 2 },
        { binId: 4, quantity: 2 },
      ],
    ],
    ['nothing for a quantity of zero', 0, []],
  ])('takes %s', (_case, quantity, expected) => {
    expect(allocateFromBins(bins, quantity)).toEqual(expected);
  });

  it.each([
    ['the bins together hold one too few', bins, 10],
    ['there are no bins', [], 1],
    ['every bin is empty', [{ binId: 1, quantity: 0 }], 1],
    ['a bin is overdrawn', [{ binId: 1, quantity: 1 }, { binId: 2, quantity: -3 }], 2], // prettier-ignore
  ])('returns null when %s', (_case, stock, quantity) => {
    expect(allocateFromBins(stock, quantity)).toBeNull();
  });

  it('does not change the bins it receives', () => {
    const given = [
      { binId: 1, quantity: 2 },
      { binId: 2, quantity: 5 },
    ];

    allocateFromBins(given, 6);

    expect(given).toEqual([
      { binId: 1, quantity: 2 },
      { binId: 2, quantity: 5 },
    ]);
  });

  it('supplies the exact quantity from as few bins as possible, for a thousand random warehouses', () => {
    const random = seededRandom(20261120);
    for (let round = 0; round < 1000; round++) {
      const stock = Array.from({ length: random(8) }, (_, binId) => ({ binId, quantity: random(10) }));
      const quantity = random(40);

      const withdrawals = allocateFromBins(stock, quantity);

      if (sum(stock) < quantity) {
        expect(withdrawals).toBeNull();
        continue;
      }
      expect(sum(withdrawals ?? [])).toBe(quantity);
      expect(withdrawals).toHaveLength(fewestBins(stock, quantity));
      expect(new Set(withdrawals?.map(({ binId }) => binId)).size).toBe(withdrawals?.length);
      for (const { binId, quantity: taken } of withdrawals ?? []) {
        expect(taken).toBeGreaterThan(0);
        expect(taken).toBeLessThanOrEqual(stock.find((bin) => bin.binId === binId)?.quantity ?? 0);
      }
    }
  });
});

/** The oracle: tries every subset. */
function fewestBins(stock: readonly BinStock[], quantity: number): number {
  let fewest = Infinity;
  for (let subset = 0; subset < 2 ** stock.length; subset++) {
    const chosen = stock.filter((_, index) => (subset >> index) & 1);
    if (sum(chosen) >= quantity) fewest = Math.min(fewest, chosen.length);
  }
  return fewest;
}
