import { BlockList, isIPv6 } from 'node:net';

/**
 * Whether a key may be used from the address of a request.
 *
 * @param address of the client, as `TRUST_PROXY` gives it. An IPv4 address may come as `::ffff:192.0.2.1`.
 * @param networks of the key, such as `192.0.2.0/24`; empty = any.
 */
export function isAllowedFrom(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true;
  const allowed = new BlockList();
  for (const network of networks) {
    const [start = '', bits] = network.split('/');
    allowed.addSubnet(start, Number(bits), familyOf(start));
  }
  return allowed.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
