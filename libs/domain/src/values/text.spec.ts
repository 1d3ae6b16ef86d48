import { isDisplayName, isStorable } from './text.js';

describe('isStorable', () => {
  it.each(['', 'Ada', 'naïve', '日本語', '😀', 'a\tb\r\nc', '\u001b', '\u202e', '\ufffd'])('accepts %j', (text) => {
    expect(isStorable(text)).toBe(true);
  });

  it.each(['\0', 'a\0b', '\ud83d', '\ude00', 'a\ud800b', '\ude00\ud83d'])('rejects %j', (text) => {
    expect(isStorable(text)).toBe(false);
  });
});

describe('isDisplayName', () => {
  it.each(['Ada', '日本語', 'می\u200cخواهم', 'ශ්\u200dරී', '👩\u200d💻', '❤\ufe0f', 'é'.repeat(200)])(
    'takes %j',
    (text) => {
      expect(isDisplayName(text)).toBe(true);
    },
  );

  it.each([
    ...[
      '',
      ' ',
      '\u200b',
      '\u200c\u200d',
      '\u3164',
      '\u115f',
      '\u180e',
      '\ufeff',
      '\u00ad',
      '\u2800',
      '\u{e0041}',
      '\ufe0f',
    ],
    ...['Ada\u061c', 'Ada\u200e', 'Ada\u200f', 'Ada\u202e', 'Ada\u2066', 'Ada\n', 'Ada\ud800', 'é'.repeat(201)],
  ])('refuses %j', (text) => {
    expect(isDisplayName(text)).toBe(false);
  });
});
