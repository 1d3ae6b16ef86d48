import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Place } from './place.js';

export class Daemon {
  private constructor(
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
  ) {}

  static start(place: Place, name: string, [program = '', ...args]: readonly string[]): Daemon {
    const log = openSync(place.file(`${name}.log`), 'a');
    const options = { ...place.account, cwd: place.directory, detached: true };
    const child = spawn(program, args, { ...options, stdio: ['ignore', log, log] });
    closeSync(log);
    return new Daemon(child, once(child, 'exit'));
  }

  get isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning && this.child.pid !== undefined) signalOne(-this.child.pid, signal);
  }

  /** Sends kill -9 at once; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.signal('SIGKILL');
    await this.ended;
  }
}

/** The process and those that it started, parents first. Empty when the process is gone. */
export function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  let exists = false;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    if (parent === null) continue;
    exists ||= Number(name) === pid;
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = exists ? [pid] : [];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

/** Signals parents first: a parent that is stopped starts no further child. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const one of treeOf(pid)) signalOne(one, signal);
}

/** Signals a process, which may be gone. */
export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    return;
  }
}

function parentOf(pid: number): number | null {
  try {
    // The name, in brackets, may contain spaces.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return state === 'Z' ? null : Number(parent);
  } catch {
    return null;
  }
}
