import fc from 'fast-check';
import { fromCsv, toCsv, withoutFormula } from './csv-files.js';

const HOSTILE = [',', '"', '\r\n', '\n', ';', '', ' x ', '\uFEFF', '"",""\r\n=1+1', '王', '\u2028'];

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

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1'])(
    'does not begin with a formula: %j',
    (text) => {
      expect(withoutFormula(text)).toBe(`'${text}`);
    },
  );

  it.each(['', 'Ada', '1+1', "'=1", 'a=b'])('leaves other texts as they are: %j', (text) => {
    expect(withoutFormula(text)).toBe(text);
  });
});
