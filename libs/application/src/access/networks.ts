import { BlockList, isIP, isIPv4 } from 'node:net';

const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * IPv4 and IPv6 are separate: `::/0` contains no IPv4 address. A mapped address, such as `::ffff:192.0.2.1`, is one of
 * IPv4.
 */
export class Networks {
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [start = '', bits] = network.split('/');
      if (isIPv4(start)) this.ipv4.addSubnet(start, Number(bits));
      else this.ipv6.addSubnet(start, Number(bits), 'ipv6');
    }
  }

  has(address: string): boolean {
    if (isIPv4(address)) return this.ipv4.check(address);
    // BlockList compares a mapped address with networks of both families.
    return isMappedIpv4(address) ? this.ipv4.check(address, 'ipv6') : this.ipv6.check(address, 'ipv6');
  }
}

/** Whether one of the networks contains all addresses of the other. */
export function isWithin(network: string, networks: readonly string[]): boolean {
  const [start = '', bits] = network.split('/');
  return networks.some((outer) => Number(outer.split('/')[1]) <= Number(bits) && new Networks([outer]).has(start));
}

export function isMappedIpv4(address: string): boolean {
  return MAPPED.check(address, 'ipv6');
}

/**
 * Requests of one network count together: of an IPv4 address, or of a /64, all of whose addresses one client can have.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return plain;
  // A proxy that is trusted may name anything.
  if (isIP(plain) === 0) return 'unknown';
  return isMappedIpv4(plain) ? mappedIpv4(plain) : `${startOf(plain, 64)}/64`;
}

/** `instead`: what a refused text may mean; nothing when it is no network at all. */
export type NetworkReading =
  | { readonly network: string; readonly instead: null }
  | { readonly network: null; readonly instead: readonly string[] };

/**
 * Reads a network such as `192.0.2.0/24`, or a single address. Refuses an address with bits after the length, such as
 * `10.0.0.1/8`, and a mapped form of IPv4.
 */
export function readNetwork(text: string): NetworkReading {
  const [address = '', length, ...rest] = text.trim().split('/');
  // A zone, as in fe80::1%eth0, is no part of a network.
  const most = { 4: 32, 6: 128 }[address.includes('%') ? 0 : isIP(address)] ?? -1;
  const bits = length ?? String(most);
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most || rest.length > 0) return { network: null, instead: [] };
  if (most === 128 && isMappedIpv4(address)) {
    const { instead, network } = readNetwork(`${mappedIpv4(address)}/${Math.max(0, Number(bits) - 96)}`);
    return { network: null, instead: instead ?? [network] };
  }
  const network = `${startOf(address, Number(bits))}/${bits}`;
  const isStart = network === `${startOf(address, most)}/${bits}`;
  return isStart ? { network, instead: null } : { network: null, instead: [network, `${address}/${most}`] };
}

function startOf(address: string, bits: number): string {
  const size = isIPv4(address) ? 8 : 16;
  const start = partsOf(address).map((part, index) => {
    const free = Math.min(size, Math.max(0, size * (index + 1) - bits));
    return (part >> free) << free;
  });
  return size === 8 ? start.join('.') : canonical(start.map((part) => part.toString(16)).join(':'));
}

/** The 4 bytes of an IPv4 address, or the 8 groups of an IPv6 address. */
function partsOf(address: string): number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  const [head = [], tail = []] = canonical(address)
    .split('::')
    .map((side) =>
      side
        .split(':')
        .filter(Boolean)
        .map((group) => parseInt(group, 16)),
    );
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function mappedIpv4(address: string): string {
  return partsOf(address)
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** The form of RFC 5952. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
