import { isStorable } from './text.js';

describe('isStorable', () => {
  it.each(['', 'Ada', 'naïve', '日本語', '😀', 'a\tb\r\nc', '\u001b', '\u202e', '\ufffd'])('accepts %j', (text) => {
    expect(isStorable(text)).toBe(true);
  });

  it.each(['\0', 'a\0b', '\ud83d', '\ude00', 'a\ud800b', '\ude00\ud83d'])('rejects %j', (text) => {
    expect(isStorable(text)).toBe(false);
  });
});
