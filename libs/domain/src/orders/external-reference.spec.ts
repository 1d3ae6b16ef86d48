import { isExternalReference } from './external-reference.js';

describe('an external reference', () => {
  it.each([['1'], ['PO-2026/117 #4'], ['Łódź 7'], ['😀'.repeat(64)], ["'; DROP TABLE orders; --"]])(
    'may be %j',
    (text) => expect(isExternalReference(text)).toBe(true),
  );

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
    ['a\ud800', 'half a surrogate pair'],
    ['x'.repeat(65), 'too long'],
    ['😀'.repeat(65), 'too long in code points'],
  ])('is never %j (%s)', (text) => expect(isExternalReference(text)).toBe(false));
});
