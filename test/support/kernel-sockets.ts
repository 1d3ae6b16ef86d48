import { existsSync, readFileSync } from 'node:fs';

/** The kernel's data about the connections to a local port, on the server's side only. */
export interface KernelSockets {
  /** Connections in any state, including those that no process has open. */
  readonly count: number;
  /** Established connections of a process. */
  readonly open: number;
  /** Sockets with unsent data that no process owns any more. */
  readonly orphans: number;
  /** Bytes that are not sent or not acknowledged, including those of orphans. */
  readonly unsentBytes: number;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const ESTABLISHED = '01';
/** A connection in TIME_WAIT holds no memory; it only reserves its port. */
const NO_CONNECTIONS = ['06' /* TIME_WAIT */, '0A' /* LISTEN */];

/** Reads the figures of one port; `/proc/net/sockstat` has only those of the machine. Returns zeros outside Linux. */
export function kernelSockets(port: number): KernelSockets {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = TABLES.filter((table) => existsSync(table))
    .flatMap((table) => readFileSync(table, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state = '']) => address?.endsWith(local) && !NO_CONNECTIONS.includes(state))
    // The send queue comes first, in hexadecimal, and ends at a colon.
    .map(([, , , state, queues = '', , , , , inode]) => ({ state, inode, unsent: parseInt(queues, 16) }));
  return {
    count: sockets.length,
    open: sockets.filter(({ state, inode }) => state === ESTABLISHED && inode !== '0').length,
    orphans: sockets.filter(({ inode, unsent }) => inode === '0' && unsent > 0).length,
    unsentBytes: sockets.reduce((sum, { unsent }) => sum + unsent, 0),
  };
}
