import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { fromCsv, toCsv } from './csv-files.js';

const HOSTILE = [
  ',',
  '"',
  '\r\n',
  '\n',
  ';',
  '',
  ' x ',
  '\uFEFF',
  '"",""\r\n=1+1',
  '王',
  '\u2028',
  '=1',
  "'=1",
  "''",
  "'",
  '-',
  '\t',
  " '@",
];

/** Reads the cell like a program that does not know the apostrophes. */
const cellOf = (value: string | number) => parse(toCsv([[value]]))[0]?.[0];

describe('a CSV file of the bridge', () => {
  it('returns every value as it was written', () => {
    const value = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));

    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1 }), (rows) => {
        const read = fromCsv(toCsv([['a', 'b'], ...rows]));

        expect(read).toEqual(rows.map(([a, b]) => ({ a, b })));
      }),
    );
  });

  it('is read with a byte order mark and with line feeds, as spreadsheets write it', () => {
    expect(fromCsv('\uFEFFa,b\n1,"2,3"\n\n')).toEqual([{ a: '1', b: '2,3' }]);
  });

  const FORMULAS = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t1',
    '\r1',
    '\n1',
    '＝1',
    '＋1',
    '－1',
    '＠1',
    ' =1',
    '"=1',
    '\u200b=1',
  ];
  it.each([...FORMULAS, "'=1", "''-1"])(
    'has an apostrophe before a formula, which is read back without: %j',
    (text) => {
      expect(cellOf(text)).toBe(`'${text}`);
      expect(fromCsv(toCsv([['a'], [text]]))).toEqual([{ a: text }]);
    },
  );

  it.each(['', 'Ada', '1+1', "'Ada'", 'a=b', -1])('has other values as they are: %j', (value) => {
    expect(cellOf(value)).toBe(String(value));
  });
});
