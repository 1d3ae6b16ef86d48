import type { Server } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { Config } from '@app/infrastructure';
import type { Metrics } from '../../status/metrics.js';
import { isIdle } from './exchanges.js';

/** Connections that one address may have open, out of 4,096. More than the number of concurrent requests. */
export const ADDRESS_SHARE = 512;

/**
 * Limits the connections of each client address, so that no client takes all. When an address exceeds its share, the
 * server closes its oldest idle connection, or the new connection if none is idle.
 *
 * @param trustProxy proxies are exempt: they carry the connections of many clients.
 */
export function shareConnections(
  server: Server,
  trustProxy: Config['trustProxy'],
  metrics: Metrics,
  share = ADDRESS_SHARE,
): void {
  const isProxy = proxyTest(trustProxy);
  const open = new Map<string, Set<Socket>>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const client = clientOf(remoteAddress);
    const others = open.get(client) ?? new Set();
    if (others.size >= share) {
      metrics.droppedConnections.inc({ reason: 'address' });
      const idle = [...others].find(isIdle);
      (idle ?? socket).destroy();
      if (!idle) return;
      others.delete(idle);
    }
    others.add(socket);
    open.set(client, others);
    socket.once('close', () => {
      others.delete(socket);
      if (others.size === 0 && open.get(client) === others) open.delete(client);
    });
  });
}

/** An IPv4 address, or the 64-bit prefix of an IPv6 address, which providers assign to one customer. */
function clientOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** With `true` or a number of hops, every peer is a proxy. */
function proxyTest(trustProxy: Config['trustProxy']): (address: string) => boolean {
  if (typeof trustProxy !== 'string') return () => trustProxy !== false && trustProxy !== 0;
  const proxies = new BlockList();
  for (const [address = '', bits] of trustProxy.split(',').map((part) => part.trim().split('/'))) {
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => proxies.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
