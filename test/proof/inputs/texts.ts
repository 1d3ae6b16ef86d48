import fc from 'fast-check';

export const AWKWARD: readonly string[] = [
  '100% cotton',
  'under_score',
  'back\\slash',
  '%',
  '_',
  '\\',
  '%_\\%',
  'O\'Neil & Söhne <b>"x"</b>',
  "'; DROP TABLE orders; --",
  '$1 :name ?',
  '${7*7} {{7*7}}',
  'a/b?c=d&e#f',
  '%2e%2e%2f',
  'line\nbreak\r\n\ttab',
  'null',
  'undefined',
  'true',
  'NaN',
  '-0',
  '__proto__',
  'constructor',
  'שלום עולם',
  'مرحبا',
  '\u202eright to left',
  'e\u0301 is not \u00e9',
  'Z\u0351\u036b\u0343a\u0335l\u0322go',
  '👩‍👩‍👧‍👦 🏳️‍🌈 🇪🇺',
  '\u{10ffff}\uffff\ufffd',
  'zero\u200bwidth\u00ad\u2060',
  '\u2028\u2029\u0085',
  'İstanbul ıß ﬁ ﬄ Ǆ',
  'Å Å K',
  '日本語テキスト',
  '\u0001\u001b[31m\u007f',
];

const UNUSABLE: readonly string[] = [
  '',
  ' ',
  '\u00a0\ufeff',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  'x\ud83d',
  '\udc00\ud800',
];

export function anyText(longest: number): fc.Arbitrary<string> {
  const codeUnits = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 });
  const atTheLimit = fc.tuple(
    fc.constantFrom('a', 'é', '😀', ' x'),
    fc.integer({ min: longest - 1, max: longest + 1 }),
  );
  return fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom(...AWKWARD) },
    { weight: 16, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    { weight: 12, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
    { weight: 1, arbitrary: fc.constantFrom(...UNUSABLE) },
    { weight: 1, arbitrary: codeUnits.map((units) => String.fromCharCode(...units)) },
    { weight: 1, arbitrary: atTheLimit.map(([character, length]) => character.repeat(length)) },
  );
}

/** Encodes the text for a URL. Lone surrogates get an encoding that no decoder accepts. */
export function encoded(text: string): string {
  return [...text]
    .map((character) => (character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80'))
    .join('');
}
