import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Open descriptors of a process. */
export interface Descriptors {
  readonly all: number;
  /** Descriptors of regular files, which a leaked file stream leaves open. */
  readonly files: number;
}

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

/** Kernel memory for TCP sockets in bytes, of all processes. */
export function tcpMemory(): number {
  const pages = /^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1];
  return Number(pages ?? 0) * PAGE_BYTES;
}
