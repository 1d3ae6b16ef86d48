import type { Rig } from '../rig.js';
import type { Ending, Service } from '../service.js';

/** When work could be lost halfway, in milliseconds since the epoch: a worker was killed, or had no database. */
export interface Interruption {
  readonly from: number;
  readonly to: number;
}

/** What the system still does for a process that is gone: bytes it had sent arrive. */
const AFTERLIFE_MS = 500;

/** The workers of a proof, and what was done to them. */
export class WorkerCrew {
  readonly interruptions: Interruption[] = [];
  kills = 0;
  private workers: Service[] = [];

  constructor(
    private readonly rig: Rig,
    private readonly databaseUrl: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  async hire(count: number): Promise<void> {
    const { databaseUrl, env } = this;
    this.workers.push(
      ...(await Promise.all(Array.from({ length: count }, () => this.rig.startWorker({ databaseUrl, env })))),
    );
  }

  get pids(): readonly number[] {
    return this.workers.map(({ pid }) => pid);
  }

  /** kill -9 of all, at once. None is left. */
  async killAll(): Promise<void> {
    this.noteKills(this.workers.length);
    await Promise.all(this.workers.splice(0).map((worker) => worker.kill()));
  }

  /** kill -9 of one, and another in its place. */
  async replace(index: number): Promise<void> {
    const worker = this.workers[index];
    if (!worker) throw new Error(`There is no worker ${index}`);
    this.noteKills(1);
    await worker.kill();
    this.workers[index] = await this.rig.restart(worker);
  }

  /** SIGTERM to all. None is left. */
  dismissAll(): Promise<Ending[]> {
    return Promise.all(this.workers.splice(0).map((worker) => worker.terminate()));
  }

  private noteKills(count: number): void {
    this.kills += count;
    this.interruptions.push({ from: Date.now(), to: Date.now() + AFTERLIFE_MS });
  }
}
