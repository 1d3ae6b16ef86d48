import { isIP } from 'node:net';
import { Networks } from '@app/application';
import ipaddr from 'ipaddr.js';

// Only global unicast addresses of IPv6 are reachable. The library knows the special ranges in them, as those of IPv4, and takes
// what is outside, such as IPv4 in IPv6, for unicast, too.
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

const PORTS = [443, 8443];

export class ReachableAddresses {
  private readonly allowed: Networks;
  private readonly isAnyAllowed: boolean;

  /** @param networks that may be reached on any port although they are private, such as `10.1.0.0/16`. */
  constructor(networks: readonly string[]) {
    this.allowed = new Networks(networks);
    this.isAnyAllowed = networks.length > 0;
  }

  /** @param address without a zone: no address with one is public. */
  has(address: string, port: number): boolean {
    if (isIP(address) === 0 || address.includes('%')) return false;
    const read = ipaddr.parse(address);
    const range = read.range();
    if (range === 'ipv4Mapped') return false;
    if (this.allowed.has(address)) return true;
    return PORTS.includes(port) && range === 'unicast' && (read.kind() === 'ipv4' || read.match(GLOBAL_IPV6));
  }

  /** Whether a name may have this port: some address that is allowed may be behind it. */
  mayHavePort(port: number): boolean {
    return PORTS.includes(port) || this.isAnyAllowed;
  }
}
