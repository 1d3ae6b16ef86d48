import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * IPv4 and IPv6 are separate: `::/0` contains no IPv4 address. A mapped address, such as `::ffff:192.0.2.1`, counts as
 * IPv4.
 */
export class Networks {
  private readonly ranges: [Address, number][];

  constructor(networks: readonly string[]) {
    this.ranges = networks.map((network) => ipaddr.parseCIDR(network));
  }

  has(address: string): boolean {
    const read = readAddress(address);
    return read !== null && ipaddr.subnetMatch(read, { inside: this.ranges }, 'outside') === 'inside';
  }
}

/** Whether one of `networks` contains every address of `network`. */
export function isWithin(network: string, networks: readonly string[]): boolean {
  const [start = '', bits] = network.split('/');
  return networks.some((outer) => Number(outer.split('/')[1]) <= Number(bits) && new Networks([outer]).has(start));
}

/**
 * Returns the network of an address. The requests from one network count together. The network is a single IPv4 address
 * or an IPv6 /64, since one client can own all addresses of a /64.
 */
export function networkOf(address: string): string {
  const read = readAddress(address);
  // A trusted proxy may send any text as the address.
  if (read === null) return 'unknown';
  return read.kind() === 'ipv4' ? read.toString() : `${startOf(read, 64)}/64`;
}

/** `instead` lists what a refused text may mean. It is empty when the text is no network at all. */
export type NetworkReading =
  | { readonly network: string; readonly instead: null }
  | { readonly network: null; readonly instead: readonly string[] };

/**
 * Reads a network such as `192.0.2.0/24`, or a single address. Refuses an address with bits after the prefix, such as
 * `10.0.0.1/8`, and a mapped IPv4 address.
 */
export function readNetwork(text: string): NetworkReading {
  const [address = '', length, ...rest] = text.trim().split('/');
  // An address with a zone, such as fe80::1%eth0, is not accepted.
  const read = address.includes('%') ? null : readAddress(address);
  const most = isIP(address) === 6 ? 128 : 32;
  const bits = length ?? String(most);
  if (read === null || !/^\d{1,3}$/.test(bits) || Number(bits) > most || rest.length > 0)
    return { network: null, instead: [] };
  if (most === 128 && read.kind() === 'ipv4') {
    const { instead, network } = readNetwork(`${read.toString()}/${Math.max(0, Number(bits) - 96)}`);
    return { network: null, instead: instead ?? [network] };
  }
  const start = startOf(read, Number(bits));
  const network = `${start}/${bits}`;
  if (start === read.toString()) return { network, instead: null };
  return { network: null, instead: [network, `${address}/${most}`] };
}

function startOf(address: Address, bits: number): string {
  const { IPv4, IPv6 } = ipaddr;
  return (address.kind() === 'ipv4' ? IPv4 : IPv6).networkAddressFromCIDR(`${address.toString()}/${bits}`).toString();
}

/**
 * Returns null for a text that Node does not accept as an address: the library also reads `127.1` and octal numbers.
 */
function readAddress(text: string): Address | null {
  if (isIP(text) === 0) return null;
  const [plain = ''] = text.split('%');
  // The library reads ::192.0.2.1 as a mapped address. A URL converts it to the form of RFC 5952, which has no dots.
  return ipaddr.process(isIP(plain) === 6 ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain);
}
