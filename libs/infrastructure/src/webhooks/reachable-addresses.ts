import { BlockList, isIP } from 'node:net';
import { isMappedIpv4, Networks } from '@app/application';

// The registries of special-purpose addresses (IANA, RFC 6890), and addresses to many.
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

// Only global unicast addresses are reachable; everything outside of these, such as mapped IPv4 and NAT64, is refused,
// and so are the special ranges in them. Teredo (in 2001::/23) and 6to4 carry an IPv4 address.
const GLOBAL_IPV6 = ['2000::', 3] as const;
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const PORTS = [443, 8443];

export class ReachableAddresses {
  private readonly special = new BlockList();
  private readonly global = new BlockList();
  private readonly allowed: Networks;
  private readonly isAnyAllowed: boolean;

  /** @param networks that may be reached on any port although they are private, such as `10.1.0.0/16`. */
  constructor(networks: readonly string[]) {
    for (const [start, bits] of SPECIAL_IPV4) this.special.addSubnet(start, bits);
    for (const [start, bits] of SPECIAL_IPV6) this.special.addSubnet(start, bits, 'ipv6');
    this.global.addSubnet(...GLOBAL_IPV6, 'ipv6');
    this.allowed = new Networks(networks);
    this.isAnyAllowed = networks.length > 0;
  }

  /** @param address without a zone: Node's parser refuses some, and none is public. */
  has(address: string, port: number): boolean {
    if (isIP(address) === 0 || address.includes('%') || isMappedIpv4(address)) return false;
    if (this.allowed.has(address)) return true;
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!PORTS.includes(port) || this.special.check(address, family)) return false;
    return family === 'ipv4' || this.global.check(address, 'ipv6');
  }

  /** Whether a name may have this port: some address that is allowed may be behind it. */
  mayHavePort(port: number): boolean {
    return PORTS.includes(port) || this.isAnyAllowed;
  }
}
