import { API_KEY_SECRET, composeApiKey, parseApiKey, type ApiKeyMode } from './api-key.js';
import { parseApiKeyScope } from './api-key-scope.js';

const SYMBOLS = Array.from({ length: API_KEY_SECRET.length }, (_, index) => (index * 7) % API_KEY_SECRET.symbols);
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('composeApiKey', () => {
  it.each<[ApiKeyMode, string]>([
    ['live', 'svc_live_'],
    ['test', 'svc_test_'],
  ])('makes a %s key that begins with %s', (mode, prefix) => {
    const key = composeApiKey(mode, SYMBOLS);

    expect(key.text).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
    expect(key).toMatchObject({ mode, prefix, lastFour: key.text.slice(-4) });
  });

  it('makes the same key from the same symbols, including the CRC-32 checksum', () => {
    // The expected CRC-32 comes from an independent implementation: python3 zlib.crc32.
    expect(composeApiKey('live', new Array<number>(32).fill(0)).text).toBe(`svc_live_${'0'.repeat(32)}3uclD9`);
  });

  it('can use all 62 symbols', () => {
    const made = Array.from(ALPHABET, (_, symbol) => composeApiKey('live', [symbol, ...SYMBOLS.slice(1)]).text[9]);

    expect(made.join('')).toBe(ALPHABET);
  });

  it.each([
    ['too few symbols', SYMBOLS.slice(1)],
    ['too many symbols', [...SYMBOLS, 1]],
    ['a symbol out of range', [62, ...SYMBOLS.slice(1)]],
    ['a negative symbol', [-1, ...SYMBOLS.slice(1)]],
  ])('refuses %s', (_case, symbols) => {
    expect(() => composeApiKey('live', symbols)).toThrow(RangeError);
  });
});

describe('parseApiKey', () => {
  const { text } = composeApiKey('live', SYMBOLS);

  it.each<ApiKeyMode>(['live', 'test'])('reads a composed %s key', (mode) => {
    const key = composeApiKey(mode, SYMBOLS);

    expect(parseApiKey(key.text)).toEqual(key);
  });

  it.each(Array.from(text, (_, position) => position))('refuses any other character at position %d', (position) => {
    for (const character of `${ALPHABET}_- `) {
      if (character === text[position]) continue;
      expect(parseApiKey(text.slice(0, position) + character + text.slice(position + 1))).toBeNull();
    }
  });

  it('refuses neighbours exchanged at any position', () => {
    const exchanged = Array.from({ length: text.length - 10 }, (_, index) => {
      const [position, a = '', b = ''] = [9 + index, text[9 + index], text[10 + index]];
      return text.slice(0, position) + b + a + text.slice(position + 2);
    });

    expect(exchanged.filter((other) => other !== text && parseApiKey(other) !== null)).toEqual([]);
  });

  it('refuses a live key passed off as a test key, and the reverse', () => {
    expect(parseApiKey(text.replace('live', 'test'))).toBeNull();
    expect(parseApiKey(composeApiKey('test', SYMBOLS).text.replace('test', 'live'))).toBeNull();
  });

  it.each([
    '',
    'svc_live_',
    text.slice(0, -1),
    `${text}0`,
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
    text.slice(4),
    text.replace('svc', 'sk'),
    text.replace('live', 'prod'),
    `svc_live_${'é'.repeat(38)}`,
  ])('refuses %j', (wrong) => {
    expect(parseApiKey(wrong)).toBeNull();
  });
});

describe('parseApiKeyScope', () => {
  it.each([
    ['full', 'full'],
    ['read', 'read'],
    ['fulfillment', 'read,fulfillment'],
    ['payments, orders,read,orders', 'read,orders,payments'],
    ['webhooks,stock,payments,fulfillment,orders', 'read,orders,fulfillment,payments,stock,webhooks'],
    ['sales,customers,catalog,webhooks', 'read,webhooks,catalog,customers,sales'],
  ])('reads %s as %s', (text, scope) => {
    expect(parseApiKeyScope(text)).toBe(scope);
  });

  it.each(['', ',', 'read,', 'write', 'full,write', 'stock,full', 'full,read', 'Full', 'read orders'])(
    'knows no scope %j',
    (text) => {
      expect(parseApiKeyScope(text)).toBeNull();
    },
  );
});
