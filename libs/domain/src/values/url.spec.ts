import { parseUrl } from './url.js';

describe('parseUrl', () => {
  it('reads a host with letters beyond ASCII each time', () => {
    const hosts = Array.from({ length: 50_000 }, () => parseUrl('https://münchen.example/x')?.host);

    expect(new Set(hosts)).toEqual(new Set(['xn--mnchen-3ya.example']));
  });

  it.each(['', 'x', 'https://', '//host/path'])('returns null for %j', (text) => {
    expect(parseUrl(text)).toBeNull();
  });
});
