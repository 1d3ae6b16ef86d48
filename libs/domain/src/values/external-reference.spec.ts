import { isExternalReference } from './external-reference.js';

describe('an external reference', () => {
  it.each([
    ['1'],
    ['PO-2026/117 #4'],
    ['Łódź 7'],
    ['😀'.repeat(64)],
    ["'; DROP TABLE orders; --"],
    ['🧾 #\u20e3'],
    ['e\u0301 ١٢ ²'],
  ])('may be %j', (text) => expect(isExternalReference(text)).toBe(true));

  it.each([
    ['', 'empty'],
    ['   ', 'blank'],
    [' 1', 'preceded by a space'],
    ['1\u00a0', 'followed by a no-break space'],
    ['a\tb', 'a tab'],
    ['a\nb', 'a line break'],
    ['a\u2028b', 'a line separator'],
    ['a\0b', 'NUL'],
    ['a\u007fb', 'DEL'],
    ['a\u200bb', 'a zero-width space'],
    ['a\u202eb', 'an override of the text direction'],
    ['a\u3164b', 'a Hangul filler'],
    ['\u115f', 'a filler alone'],
    ['a\u034fb', 'a grapheme joiner'],
    ['a\ufe0fb', 'a variation selector'],
    ['a\u{e0100}b', 'a variation selector of another plane'],
    ['a\u2800b', 'a blank of Braille'],
    ['a\u00a0b', 'a no-break space'],
    ['a\u3000b', 'a wide space'],
    ['a\ufffeb', 'a noncharacter'],
    ['a\u0378b', 'an unassigned character'],
    ['a\ue000b', 'a private character'],
    ['a\ud800', 'half a surrogate pair'],
    ['x'.repeat(65), 'too long'],
    ['😀'.repeat(65), 'too long in code points'],
  ])('is never %j (%s)', (text) => expect(isExternalReference(text)).toBe(false));
});
