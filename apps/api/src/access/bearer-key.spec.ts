import { bearerKey } from './bearer-key.js';

describe('bearerKey', () => {
  it.each(['Bearer key', 'bearer key', 'BEARER  key '])('reads the key of %j', (header) => {
    expect(bearerKey(header)).toBe('key');
  });

  it.each([undefined, '', 'Bearer', 'Basic key', 'key', 'Bearer key key'])('finds no key in %j', (header) => {
    expect(bearerKey(header)).toBeUndefined();
  });
});
