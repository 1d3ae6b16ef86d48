import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Rig } from '../proof/support/rig.js';

/** The unit of /proc/<pid>/stat on every Linux that runs Node. */
const TICKS_PER_SECOND = 100;

/** CPU time of a server and its PostgreSQL. Other load on the machine changes it less than elapsed time. */
export class CpuTime {
  private readonly postmaster: number | null;

  constructor({ server }: Rig) {
    const file = server && path.join(server.dataDir, 'postgres/postmaster.pid');
    this.postmaster = file === null ? null : Number.parseInt(readFileSync(file, 'utf8'), 10);
  }

  /**
   * Returns user and system milliseconds, including ended sessions of PostgreSQL. `null` when the system has no /proc.
   */
  of(pid: number): number | null {
    const { postmaster } = this;
    if (postmaster === null || process.platform !== 'linux') return null;
    const [server, main] = [statOf(pid), statOf(postmaster)];
    if (!server || !main) return null;
    const children = readdirSync('/proc').map((name) => (/^\d+$/.test(name) ? statOf(Number(name)) : null));
    const sessions = children.reduce((sum, child) => sum + (child?.parent === postmaster ? child.own : 0), 0);
    return ((server.own + main.own + main.ofEndedChildren + sessions) * 1_000) / TICKS_PER_SECOND;
  }
}

function statOf(pid: number): { parent: number; own: number; ofEndedChildren: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain spaces. The one after it has index 3 in proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    return { parent: field(4), own: field(14) + field(15), ofEndedChildren: field(16) + field(17) };
  } catch {
    return null;
  }
}
