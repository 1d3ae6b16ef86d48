import { minorUnitExponent } from '@app/domain';
import { digitsOf, money, plainMoney, readAmount, readUnits } from '../../../apps/dashboard/src/parts/amount.js';

describe('an amount that a person types', () => {
  it.each([
    ['12,50', 'EUR', 1250],
    ['12.50', 'USD', 1250],
    ['12,5', 'EUR', 1250],
    ['1250', 'USD', 125_000],
    [' 0 ', 'USD', 0],
    ['0,05', 'EUR', 5],
    ['1.234,56', 'EUR', 123_456],
    ['1,234.56', 'USD', 123_456],
    ['1,234,567', 'USD', 123_456_700],
    ['1.234.567,8', 'EUR', 123_456_780],
    ['1 234,56', 'EUR', 123_456],
    ['1\u202F234,56', 'EUR', 123_456],
    ['1’234.56', 'CHF', 123_456],
    ['1 234', 'EUR', 123_400],
    ['19.99', 'USD', 1999],
    ['1,234', 'JPY', 1234],
    ['$9.80', 'USD', 980],
    ['9,80 €', 'EUR', 980],
    ['EUR 9,80', 'EUR', 980],
    ['1.234.567', 'JPY', 1_234_567],
    ['1.234', 'KWD', 1234],
    ['12,3456', 'CLF', 123_456],
    ['1,234.5', 'KWD', 1_234_500],
    ['90071992547409.91', 'USD', Number.MAX_SAFE_INTEGER],
  ])('is, as %s in %s, %i minor units', (text, currency, minor) => {
    expect(readAmount(text, currency)).toBe(minor);
  });

  it.each<readonly [string, string, string]>([
    ['1,234', 'USD', '“1,234” is ambiguous. Enter 1234 or 1.23.'],
    ['1.234', 'EUR', '“1.234” is ambiguous. Enter 1234 or 1.23.'],
    ['1,234', 'KWD', '“1,234” is ambiguous. Enter 1234 or 1.234.'],
    ['12.345', 'EUR', '“12.345” is ambiguous. Enter 12345 or 12.34.'],
    ['0,123', 'EUR', '“0,123” has too many decimals: EUR has 2.'],
    ['1.234,567', 'EUR', '“1.234,567” has too many decimals: EUR has 2.'],
    ['1,5', 'JPY', '“1,5” has too many decimals: JPY has 0.'],
    ['90071992547409.92', 'USD', '“90071992547409.92” is too large.'],
    ...[
      '',
      'abc',
      '-5',
      '+5',
      '1e3',
      '12,',
      ',50',
      '€12.50',
      '12 $ 50',
      '1,23,456',
      '1.234.56',
      '1,234.567,8',
      '12 50',
      '١٢',
      '1..5',
    ].map((text) => [text, 'USD', `“${text}” is not an amount. Enter digits, such as 1250 or 12.50.`] as const),
  ])('is, as %j in %s, refused', (text, currency, refusal) => {
    expect(() => readAmount(text, currency)).toThrow(refusal);
  });

  it.each(['USD', 'JPY', 'KWD', 'CLF', 'HUF'])('is read as the page writes it in %s', (currency) => {
    for (const minor of [0, 1, 1234, 1_234_000, 1_234_567])
      expect(readAmount(plainMoney(minor, currency), currency)).toBe(minor);
  });

  it('has in each currency the decimals that the service counts by', () => {
    for (const currency of [...Intl.supportedValuesOf('currency'), 'UYW', 'CLF'])
      expect([currency, digitsOf(currency)]).toEqual([currency, minorUnitExponent(currency)]);
    expect(money(125_000, 'HUF')).toMatch(/1,250\.00$/);
  });
});

describe('a number of units that a person types', () => {
  it.each([
    ['5', 5],
    ['-2', -2],
    ['+3', 3],
    [' 007 ', 7],
  ])('is, as %s, %i', (text, units) => {
    expect(readUnits(text)).toBe(units);
  });

  it.each(['', '1,5', '1.000', '1e2', '0x1', '- 2', '1234567890'])('is, as %j, refused', (text) => {
    expect(() => readUnits(text)).toThrow(`“${text}” is not a whole number. Enter digits only.`);
  });
});
