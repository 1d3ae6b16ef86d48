import dns from 'node:dns';
import { BlockList, isIPv4, type LookupFunction } from 'node:net';

const NOT_PUBLIC = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(address, prefix);
// 6to4 and Teredo carry an IPv4 address.
for (const [address, prefix] of [
  ['2001::', 32],
  ['2002::', 16],
] as const)
  NOT_PUBLIC.addSubnet(address, prefix, 'ipv6');

const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is one of the public internet, and not of this machine, this network or a cloud's own services. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !NOT_PUBLIC.check(address);
  return GLOBAL_IPV6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}

/**
 * Looks up a host for a connection, which uses the address that was checked: a second look-up could give another. Fails
 * when one of its addresses is not allowed.
 */
export function lookupOf(isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    dns.lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${host} has no address`), '');
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return callback(Object.assign(new Error(`${host} is not at a public address`), { code: 'EPRIVATE' }), '');
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
