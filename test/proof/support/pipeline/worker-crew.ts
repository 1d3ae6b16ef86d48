import type { Rig } from '../rig.js';
import type { Ending, Service } from '../service.js';

/** The workers of a proof, and what was done to them. */
export class WorkerCrew {
  /** When one was killed, in milliseconds since the epoch. */
  readonly kills: number[] = [];
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
    this.kills.push(Date.now());
    await Promise.all(this.workers.splice(0).map((worker) => worker.kill()));
  }

  /** kill -9 of one, and another in its place. */
  async replace(index: number): Promise<void> {
    const worker = this.workers[index];
    if (!worker) throw new Error(`There is no worker ${index}`);
    this.kills.push(Date.now());
    await worker.kill();
    this.workers[index] = await this.rig.restart(worker);
  }

  /** SIGTERM to all. None is left. */
  dismissAll(): Promise<Ending[]> {
    return Promise.all(this.workers.splice(0).map((worker) => worker.terminate()));
  }
}
