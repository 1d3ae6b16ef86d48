import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startProgram } from '../support/child.js';
import type { Job, Load } from './job.js';

interface Waiting {
  readonly resolve: (load: Load) => void;
  readonly reject: (error: Error) => void;
}

/** The process of the clients. */
export class Driver {
  private readonly waiting = new Map<number, Waiting>();
  private jobs = 0;

  private constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => this.settle(line));
    child.once('exit', () => this.waiting.forEach(({ reject }) => reject(new Error('The driver has ended'))));
  }

  static start(): Driver {
    return new Driver(startProgram('driver/main.ts', {}));
  }

  /** Several jobs may run at once. */
  carryOut(job: Job): Promise<Load> {
    const id = ++this.jobs;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.stdin?.write(`${JSON.stringify({ id, job })}\n`);
    });
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.waiting.clear();
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  private settle(line: string): void {
    const { id, load, error } = JSON.parse(line) as { id: number; load?: Load; error?: string };
    const job = this.waiting.get(id);
    this.waiting.delete(id);
    if (load) job?.resolve(load);
    else job?.reject(new Error(error));
  }
}
