import { linesIn, readLine, sumsOf } from '../../../apps/dashboard/src/stock/skus.js';

describe('a line of SKUs and units', () => {
  const read = (text: string, skus: readonly string[], answer?: string) =>
    linesIn(text).map((line) => readLine(line, (sku) => skus.includes(sku), answer));

  it.each([
    ['LAMP 60', ['LAMP 60'], { sku: 'LAMP 60', units: 1 }],
    ['LAMP 60', ['LAMP'], { sku: 'LAMP', units: 60 }],
    ['LAMP 60 2', ['LAMP 60', 'LAMP'], { sku: 'LAMP 60', units: 2 }],
    ['LAMP\t60', ['LAMP'], { sku: 'LAMP', units: 60 }],
    ['A,5', ['A,5'], { sku: 'A,5', units: 1 }],
    ['A;5', ['A'], { sku: 'A', units: 5 }],
    ['A', ['A'], { sku: 'A', units: 1 }],
    ['4711', ['4711'], { sku: '4711', units: 1 }],
    ['Nothing 5', [], { sku: 'Nothing', units: 5 }],
  ])('is %j where the store has %j', (text, skus, reading) => {
    expect(read(text, skus)).toEqual([reading]);
  });

  it('is asked about where the store has both, and means what the person says', () => {
    const both = ['LAMP', 'LAMP 60'];
    expect(read('LAMP 60', both)).toEqual([undefined]);
    expect(read('LAMP 60', both, '1 × LAMP 60')).toEqual([{ sku: 'LAMP 60', units: 1 }]);
    expect(read('LAMP 60', both, '60 × LAMP')).toEqual([{ sku: 'LAMP', units: 60 }]);
  });

  it('adds to the same SKU of another line for the same bin', () => {
    const lines = [
      { sku: 'A', units: 1, place: '', text: 'A' },
      { sku: 'A', units: 3, place: '', text: 'A 3' },
      { sku: 'A', units: 2, place: 'MAIN/B', text: 'A 2' },
    ];
    expect(sumsOf(lines)).toEqual([
      { sku: 'A', units: 4, place: '', texts: ['A', 'A 3'] },
      { sku: 'A', units: 2, place: 'MAIN/B', texts: ['A 2'] },
    ]);
  });
});
