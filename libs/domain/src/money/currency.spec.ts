import { isCurrency, minorUnitExponent } from './currency.js';

describe('isCurrency', () => {
  it.each(['USD', 'EUR', 'JPY', 'KWD', 'BDT', 'CLF', 'UYW'])('accepts %s', (code) => {
    expect(isCurrency(code)).toBe(true);
  });

  it.each(['usd', 'US', 'USDT', 'QQQ', '', ' USD', 'toString', '__proto__'])('refuses %j', (code) => {
    expect(isCurrency(code)).toBe(false);
  });
});

describe('minorUnitExponent', () => {
  it.each(['BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ')].flat())(
    'gives %s no decimal places',
    (code) => {
      expect(minorUnitExponent(code)).toBe(0);
    },
  );

  it.each(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])('gives %s three', (code) => {
    expect(minorUnitExponent(code)).toBe(3);
  });

  it.each(['CLF', 'UYW'])('gives %s four decimals', (code) => {
    expect(minorUnitExponent(code)).toBe(4);
  });

  it.each(['USD', 'EUR', 'GBP', 'BDT', 'INR', 'HUF', 'IDR', 'TWD', 'MGA'])('gives %s two', (code) => {
    expect(minorUnitExponent(code)).toBe(2);
  });
});
