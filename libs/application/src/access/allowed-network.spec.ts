import { isAllowedFrom } from './allowed-network.js';

describe('isAllowedFrom', () => {
  it.each([
    ['192.0.2.7', []],
    ['192.0.2.7', ['192.0.2.0/24']],
    ['::ffff:192.0.2.7', ['192.0.2.0/24']],
    ['192.0.2.7', ['2001:db8::/32', '192.0.2.7/32']],
    ['2001:db8::1', ['2001:db8::/32']],
    ['2001:db8::1', ['::/0']],
    ['198.51.100.1', ['0.0.0.0/0']],
  ])('allows %s in %j', (address, networks) => {
    expect(isAllowedFrom(address, networks)).toBe(true);
  });

  it.each([
    ['192.0.3.7', ['192.0.2.0/24']],
    ['::ffff:192.0.3.7', ['192.0.2.0/24']],
    ['2001:db9::1', ['2001:db8::/32', '192.0.2.0/24']],
    ['2001:db8::1', ['0.0.0.0/0']],
    ['', ['192.0.2.0/24']],
    ['unix:', ['0.0.0.0/0']],
  ])('refuses %j outside of %j', (address, networks) => {
    expect(isAllowedFrom(address, networks)).toBe(false);
  });
});
