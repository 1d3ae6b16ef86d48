import { isIP } from 'node:net';
import { Networks } from '@app/application';
import ipaddr from 'ipaddr.js';

// Only global unicast addresses of IPv6 are reachable. The library knows the special ranges among them, like those of
// IPv4, but takes what is outside, such as IPv4 in IPv6, for unicast, too.
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

const PORTS = [443, 8443];

export class ReachableAddresses {
  private readonly allowed: Networks;
  private readonly isAnyAllowed: boolean;

  /** @param networks private networks that may nevertheless be reached, on any port, such as `10.1.0.0/16`. */
  constructor(networks: readonly string[]) {
    this.allowed = new Networks(networks);
    this.isAnyAllowed = networks.length > 0;
  }

  /** @param address must have no zone: no address with a zone is public. */
  has(address: string, port: number): boolean {
    if (isIP(address) === 0 || address.includes('%')) return false;
    const read = ipaddr.parse(address);
    const range = read.range();
    if (range === 'ipv4Mapped') return false;
    if (this.allowed.has(address)) return true;
    return PORTS.includes(port) && range === 'unicast' && (read.kind() === 'ipv4' || read.match(GLOBAL_IPV6));
  }

  /** Whether a name may have this port, because it may resolve to an allowed address. */
  mayHavePort(port: number): boolean {
    return PORTS.includes(port) || this.isAnyAllowed;
  }
}
