import { existsSync, readFileSync } from 'node:fs';

export interface KernelSockets {
  readonly count: number;
  /** Bytes that were sent and not yet acknowledged, or not yet sent. */
  readonly unsentBytes: number;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Its memory is gone: it only keeps the port from being used again. */
const TIME_WAIT = '06';
const LISTEN = '0A';

/** What the kernel holds for connections to a local port, those that no process has open included. Linux only. */
export function kernelSockets(port: number): KernelSockets {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = TABLES.filter((table) => existsSync(table))
    .flatMap((table) => readFileSync(table, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state = '']) => address?.endsWith(local) && ![TIME_WAIT, LISTEN].includes(state));
  const unsent = sockets.map(([, , , , queues = '']) => parseInt(queues, 16));
  return { count: sockets.length, unsentBytes: unsent.reduce((sum, bytes) => sum + bytes, 0) };
}
