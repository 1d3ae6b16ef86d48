import { foldMailAddress, isMailAddress } from './email-address.js';

describe('isMailAddress', () => {
  it.each([
    'ada@example.com',
    "o'hara+shop=1@mail.example.co.uk",
    'Ada.Lovelace@Example.COM',
    'orders@localhost',
    'ada@xn--bcher-kva.example',
    'ada@bücher.example',
    'дарья@пример.рф',
    'a{b}|c@example.com',
    'ada@نامه\u200cای.com',
    'ada@ශ්\u200dරී.com',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.ef`,
  ])('takes %s', (address) => {
    expect(isMailAddress(address)).toBe(true);
  });

  it.each([
    ['a list', 'a,b@example.com'],
    ['a list by semicolon', ';@example.com'],
    ['angle brackets', '<ada>@example.com'],
    ['a route', '<@evil.example:ada@example.com>'],
    ['a comment', 'ada(evil)@example.com'],
    ['a group', 'all:ada@example.com'],
    ['a quoted name', '"ada"@example.com'],
    ['a quoted name with a list', '"a,b"@example.com'],
    ['a backslash', 'a\\b@example.com'],
    ['an address as a URL', 'mailto:ada@example.com'],
    ['an address in angle brackets', '<ada@example.com>'],
    ['two dots in the domain', 'ada@example..com'],
    ['two at signs', 'a@b@example.com'],
    ['nothing', ''],
    ['no at sign', 'ada.example.com'],
    ['no name', '@example.com'],
    ['no domain', 'ada@'],
    ['a dot too many', 'a..b@example.com'],
    ['a dot at the end', 'a.@example.com'],
    ['a list in the domain', 'ada@example.com,evil.example'],
    ['a host address', 'ada@[127.0.0.1]'],
    ['a host address in disguise', 'ada@1.2'],
    ['a host address in hexadecimal', 'ada@0x7f.1'],
    ['a host address in wide digits', 'ada@１２７.0.0.1'],
    ['percent encoding', 'ada@ex%61mple.com'],
    ['a dot at the end of the domain', 'ada@example.com.'],
    ['a hyphen at the start of a label', 'ada@-example.com'],
    ['a broken international label', 'ada@xn--a'],
    ['a broken international label among others', 'ada@mail.XN--A.example'],
    ['an international label of an encoded one', 'ada@xn--xn---epa'],
    ['a line break', 'ada@example.com\r\nBcc:evil@example.com'],
    ['a no-break space', 'ada\u00a0b@example.com'],
    ['a turn of the writing direction', 'ada\u202e@example.com'],
    ['an invisible character', 'ada@exam\u200bple.com'],
    ['a lone surrogate', 'ada\ud800@example.com'],
    ['an encoded word', '=?utf-8?q?a?=@b.test'],
    ['the start of an encoded word', 'a=?b@c.test'],
    ['a joiner between letters that do not join', 'ada@exam\u200cple.com'],
    ['a joiner in the local part', 'نامه\u200cای@example.com'],
    ['a local part of more than 64 octets', `${'a'.repeat(65)}@b.cd`],
    ['a local part of more than 64 octets in UTF-8', `${'ä'.repeat(33)}@b.cd`],
    ['more than 254 octets', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(59)}.ef`],
  ])('refuses %s', (_what, address) => {
    expect(isMailAddress(address)).toBe(false);
  });
});

describe('foldMailAddress', () => {
  it('leaves the case to all letters but those of ASCII', () => {
    expect(foldMailAddress('\u212aIM.Ä\u0130@Example.COM')).toBe('\u212aim.Ä\u0130@example.com');
  });
});
