import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Open descriptors of a process. */
export interface Descriptors {
  readonly all: number;
  /** Descriptors of regular files, which a leaked file stream leaves open. */
  readonly files: number;
}

/** TCP sockets at a server's port, on the server's side only. */
export interface ServerSockets {
  /** Established connections. */
  readonly open: number;
  /** Sockets with unsent data that no process owns any more. */
  readonly orphans: number;
  /** Bytes in send queues, including those of orphans. */
  readonly unsentBytes: number;
}

const ESTABLISHED = '01';
const TIME_WAIT = '06';
const PAGE_BYTES = 4_096;

export function descriptorsOf(pid: number): Descriptors {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      return []; // closed since
    }
  });
  const files = targets.filter((target) => target.startsWith('/') && !target.startsWith('/dev/')).length;
  return { all: targets.length, files };
}

/** One server's share: `/proc/net/sockstat` has only the sums of the whole machine. */
export function socketsAt(port: number): ServerSockets {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = '']) => address.endsWith(local))
    .map(([, , , state, queues = '', , , , , inode]) => ({
      state,
      inode,
      unsent: parseInt(queues.split(':')[0] ?? '', 16),
    }))
    .filter(({ state }) => state !== TIME_WAIT);
  return {
    open: rows.filter(({ state, inode }) => state === ESTABLISHED && inode !== '0').length,
    orphans: rows.filter(({ inode, unsent }) => inode === '0' && unsent > 0).length,
    unsentBytes: rows.reduce((sum, { unsent }) => sum + (unsent || 0), 0),
  };
}

/** Kernel memory for TCP sockets in bytes, of all processes. */
export function tcpMemory(): number {
  const pages = /^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1];
  return Number(pages ?? 0) * PAGE_BYTES;
}
