import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { signalOne } from './process-tree.js';
import type { Place } from './place.js';

/** A program in the background, in a process group of its own. It writes its output to a file of the place. */
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

  /** Signals its whole group. */
  signal(signal: NodeJS.Signals): void {
    if (this.isRunning && this.child.pid !== undefined) signalOne(-this.child.pid, signal);
  }

  /** kill -9. Sent at once; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.signal('SIGKILL');
    await this.ended;
  }
}
