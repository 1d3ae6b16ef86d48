import { manyLines, oneLine } from './plain-text.js';
import { readMailbox } from './mailbox.js';

describe('oneLine', () => {
  it.each([
    ['line breaks', 'a\r\nBcc: b', 'a Bcc: b'],
    ['a next-line character', 'a\u0085b', 'a b'],
    ['Unicode separators', 'a\u2028b\u2029c', 'a b c'],
    ['control characters', 'a\0b\tc\x1bd\x7fe', 'a b c d e'],
    ['turns of the writing direction', 'a\u202eb\u2066c\u200fd', 'a b c d'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['space around', '  a  b ', 'a b'],
  ])('keeps %s out', (_what, text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  it('keeps other characters unchanged', () => {
    expect(oneLine('Müller & 株式会社 👩‍🚀')).toBe('Müller & 株式会社 👩‍🚀');
  });

  it('cuts between characters', () => {
    expect(oneLine('🙂🙂🙂', 2)).toBe('🙂…');
  });
});

describe('manyLines', () => {
  it('keeps lines and single blank ones between them', () => {
    expect(manyLines('\n\na\r\nb\n\n\n\nc\u2028d\n\n')).toEqual(['a', 'b', '', 'c', 'd']);
  });

  it.each(['', ' \n\r\n '])('returns no line for %j', (text) => {
    expect(manyLines(text)).toEqual([]);
  });
});

describe('readMailbox', () => {
  it.each([
    ['orders@example.com', { name: '', address: 'orders@example.com' }],
    ['<orders@example.com>', { name: '', address: 'orders@example.com' }],
    ['The Shop <orders@example.com>', { name: 'The Shop', address: 'orders@example.com' }],
    ['"Shop, \\"Inc\\"" <orders@example.com>', { name: 'Shop, "Inc"', address: 'orders@example.com' }],
    ['A\r\nBcc: x@y.z <orders@example.com>', { name: 'A Bcc: x@y.z', address: 'orders@example.com' }],
  ])('reads %j', (text, expected) => {
    expect(readMailbox(text)).toEqual(expected);
  });

  it.each(['', 'orders', 'a@b.cd, c@d.ef', 'A <a@b.cd>, B <c@d.ef>', 'A <a@b.cd', 'A <>'])('refuses %j', (text) => {
    expect(readMailbox(text)).toBeNull();
  });
});
