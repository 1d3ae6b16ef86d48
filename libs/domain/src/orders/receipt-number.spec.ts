import { isReceiptNumber, RECEIPT_RANDOM_BYTES, receiptNumber } from './receipt-number.js';

const UUID = '6f2b1c7e-9a3d-4c5b-8e1f-0123456789ab';

describe('receiptNumber', () => {
  const placedAt = new Date('2026-11-20T23:59:59.999Z');

  it.each([
    ['WEBSITE', 'WEB-261120-01ABYZ'],
    ['POS', 'POS-261120-01ABYZ'],
  ] as const)('numbers an order of source %s as %s', (source, expected) => {
    expect(receiptNumber(source, placedAt, Uint8Array.of(0, 1, 10, 11, 30, 31))).toBe(expected);
  });

  it.each([
    ['2026-11-20T23:30:00-05:00', '261121'],
    ['2026-01-01T00:30:00+01:00', '251231'],
  ])('dates %s by UTC: %s', (time, date) => {
    expect(receiptNumber('WEBSITE', new Date(time), new Uint8Array(6))).toBe(`WEB-${date}-000000`);
  });

  it('uses each of the 32 Crockford characters equally often', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const character = receiptNumber('WEBSITE', placedAt, new Uint8Array(RECEIPT_RANDOM_BYTES).fill(byte)).slice(-1);
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }

    expect([...counts.keys()].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });

  it('uses six random bytes and ignores the rest', () => {
    expect(RECEIPT_RANDOM_BYTES).toBe(6);
    expect(receiptNumber('WEBSITE', placedAt, new Uint8Array(60))).toBe('WEB-261120-000000');
  });
});

describe('isReceiptNumber', () => {
  it.each([
    receiptNumber('POS', new Date(), Uint8Array.of(255, 254, 253, 9, 8, 7)),
    'POS-1',
    'pos-1',
    '1',
    '-',
    'x'.repeat(64),
    UUID.slice(1),
    `${UUID}0`,
    UUID.replaceAll('-', ''),
  ])('accepts %s', (text) => {
    expect(isReceiptNumber(text)).toBe(true);
  });

  it.each(['', 'x'.repeat(65), 'A 1', 'A_1', 'A/1', 'A.1', 'Ä-1', 'A\n', '\u0000', 'A%', UUID, UUID.toUpperCase()])(
    'rejects %j',
    (text) => {
      expect(isReceiptNumber(text)).toBe(false);
    },
  );
});
