import { isUnitPrice, MAX_UNIT_PRICE, Money, toDecimal, toDecimalText } from './money.js';
import { isCurrency, minorUnitExponent } from '../values/currency.js';

const usd = (minor: number) => Money.ofMinor(minor, 'USD');

describe('Money.ofMinor', () => {
  it.each([0, 1, Number.MAX_SAFE_INTEGER])('accepts %d minor units', (minor) => {
    expect(usd(minor).minor).toBe(minor);
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])('refuses %d', (minor) => {
    expect(() => usd(minor)).toThrow(RangeError);
  });
});

describe('Money.parse', () => {
  it.each([
    ['79.90', 'USD', 7990],
    ['79.9', 'USD', 7990],
    ['79', 'USD', 7900],
    ['0', 'USD', 0],
    ['007.10', 'USD', 710],
    ['1250', 'JPY', 1250],
    ['1250.00', 'JPY', 1250],
    ['1.234', 'KWD', 1234],
    ['1.2', 'KWD', 1200],
    ['1.0001', 'CLF', 10001],
    ['90071992547409.91', 'USD', Number.MAX_SAFE_INTEGER],
    // Digits beyond the minor units of the currency are rounded half away from zero.
    ['0.004', 'USD', 0],
    ['0.005', 'USD', 1],
    ['1.005', 'USD', 101], // 1.005 * 100 is 100.49999999999999 in floating point
    ['1.015', 'USD', 102],
    ['2.675', 'USD', 268],
    ['1.00499999999999999', 'USD', 100],
    ['9.995', 'USD', 1000],
    ['0.5', 'JPY', 1],
    ['2.5', 'JPY', 3],
    ['2.49', 'JPY', 2],
    ['0.0005', 'KWD', 1],
    ['0.0004', 'KWD', 0],
  ])('reads %s %s as %d minor units', (text, currency, minor) => {
    expect(Money.parse(text, currency)).toEqual(Money.ofMinor(minor, currency));
  });

  it.each(['', ' 1', '1 ', '1\n', '-1', '+1', '1.', '.5', '1,50', '1e3', '0x10', 'NaN', '1.2.3', '١٢', '1'.repeat(19)])(
    'refuses %j',
    (text) => {
      expect(() => Money.parse(text, 'USD')).toThrow(RangeError);
    },
  );

  it.each([
    ['90071992547409.92', 'USD'],
    ['90071992547409.915', 'USD'],
    ['999999999999999999', 'JPY'],
    ['9007199254740.992', 'KWD'],
  ])('refuses %s %s, which is not a safe integer of minor units', (text, currency) => {
    expect(() => Money.parse(text, currency)).toThrow(RangeError);
  });

  it('quotes at most the first 40 characters of a bad text', () => {
    expect(() => Money.parse('x'.repeat(1000), 'USD')).toThrow(`Not a decimal amount: ${'x'.repeat(40)}`);
    expect(() => Money.parse('x'.repeat(1000), 'USD')).not.toThrow('x'.repeat(41));
  });
});

describe('Money.exact', () => {
  it.each([
    ['79.90', 'USD', 7990],
    ['79.900', 'USD', 7990],
    ['79', 'USD', 7900],
    ['1250.00', 'JPY', 1250],
    ['1.2340', 'KWD', 1234],
  ])('reads %s %s as %d minor units', (text, currency, minor) => {
    expect(Money.exact(text, currency)).toEqual(Money.ofMinor(minor, currency));
  });

  it.each([
    ['79.901', 'USD'],
    ['0.30000000000000004', 'USD'],
    ['1250.5', 'JPY'],
    ['1.2345', 'KWD'],
  ])('knows that %s is finer than %s', (text, currency) => {
    expect(Money.exact(text, currency)).toBeNull();
  });
});

describe('isUnitPrice', () => {
  it.each([
    ['500000000.00', 'USD', true],
    ['000000000500000000', 'USD', true],
    ['500000000.01', 'USD', false],
    ['50000000000', 'JPY', true],
    ['50000000.001', 'KWD', false],
    ['9'.repeat(18), 'CLF', false],
  ])('says of %s %s: %j', (text, currency, isPrice) => {
    expect(isUnitPrice(text, currency)).toBe(isPrice);
  });

  it('throws for a text that is no decimal', () => {
    expect(() => isUnitPrice('1e3', 'USD')).toThrow(RangeError);
  });
});

describe('Money.nearest', () => {
  it.each([
    [0, 'USD', 0],
    [-0, 'USD', 0],
    [59.97, 'USD', 5997],
    [0.1 + 0.2, 'USD', 30],
    [0.1 * 3, 'KWD', 300],
    [1.1 * 3, 'USD', 330],
    [0.304, 'USD', 30],
    [0.306, 'USD', 31],
    [0.125, 'USD', 13], // a half that is exact in binary
    [1e-7, 'USD', 0],
    [1250.4, 'JPY', 1250],
    [4399999999999.999, 'KWD', 4_399_999_999_999_999],
  ])('rounds %d %s to %d minor units', (major, currency, minor) => {
    expect(Money.nearest(major, currency)).toEqual(Money.ofMinor(minor, currency));
  });

  it.each([-0.01, 90071992547409.92, 1e17, 1e21, 1e300, Infinity, NaN])('refuses %d', (major) => {
    expect(() => Money.nearest(major, 'USD')).toThrow(RangeError);
  });
});

describe('Money arithmetic', () => {
  it('refuses to add amounts of different currencies', () => {
    expect(() => usd(1).plus(Money.ofMinor(1, 'EUR'))).toThrow('Cannot add EUR to USD');
  });

  it('refuses results beyond the safe integers', () => {
    expect(() => usd(Number.MAX_SAFE_INTEGER).plus(usd(1))).toThrow(RangeError);
    expect(() => usd(Number.MAX_SAFE_INTEGER).times(2)).toThrow(RangeError);
  });
});

describe('toDecimal', () => {
  it.each([
    [1999, 'USD', '19.99'],
    [10, 'USD', '0.1'],
    [29, 'USD', '0.29'],
    [0, 'USD', '0'],
    [1250, 'JPY', '1250'],
    [1234, 'KWD', '1.234'],
    [10001, 'CLF', '1.0001'],
  ])('writes %d %s as %s', (minor, currency, text) => {
    expect(JSON.stringify(toDecimal(minor, currency))).toBe(text);
  });

  const changed = (first: number, last: number, currency: string) => {
    const amounts = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return amounts.filter((minor) => Money.parse(String(toDecimal(minor, currency)), currency).minor !== minor);
  };

  it.each(['JPY', 'USD', 'KWD', 'CLF'])('is exact up to the largest order of %s', (currency) => {
    const largest = MAX_UNIT_PRICE * 999 * 100;

    expect(changed(largest - 2000, largest, currency)).toEqual([]);
  });

  it('preserves every amount in cents up to 1000.00', () => {
    expect(changed(0, 100_000, 'USD')).toEqual([]);
  });
});

describe('toDecimalText', () => {
  it.each([
    [7990, 'USD', '79.90'],
    [5, 'USD', '0.05'],
    [0, 'USD', '0.00'],
    [1250, 'JPY', '1250'],
    [1, 'KWD', '0.001'],
    [MAX_UNIT_PRICE, 'CLF', '5000000.0000'],
  ])('writes %d %s as %s, which parses to the same amount', (minor, currency, text) => {
    const money = Money.ofMinor(minor, currency);

    expect(toDecimalText(money)).toBe(text);
    expect(Money.parse(text, currency)).toEqual(money);
  });
});

describe('isCurrency', () => {
  it.each(['usd', 'US', 'USDT', 'QQQ', '', ' USD', 'toString', '__proto__'])('refuses %j', (code) => {
    expect(isCurrency(code)).toBe(false);
  });
});

describe('minorUnitExponent', () => {
  it.each([
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    [2, 'USD EUR GBP BDT INR HUF IDR TWD MGA'],
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ])('is %d for %s, which are currencies', (exponent, codes) => {
    expect(codes.split(' ').map((code) => [isCurrency(code), minorUnitExponent(code)])).toEqual(
      codes.split(' ').map(() => [true, exponent]),
    );
  });
});
