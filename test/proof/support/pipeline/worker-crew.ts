import type { Rig } from '../rig.js';
import type { Ending, Service } from '../service.js';

/** The workers of a proof. */
export class WorkerCrew {
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

  /** Kills all with kill -9, at once. */
  async killAll(): Promise<void> {
    this.kills += this.workers.length;
    await Promise.all(this.workers.splice(0).map((worker) => worker.kill()));
  }

  /** Kills one with kill -9, and starts another in its place. */
  async replace(index: number): Promise<void> {
    const worker = this.workers[index];
    if (!worker) throw new Error(`There is no worker ${index}`);
    this.kills++;
    await worker.kill();
    this.workers[index] = await this.rig.restart(worker);
  }

  /** Sends SIGTERM to all, and waits for their end. */
  dismissAll(): Promise<Ending[]> {
    return Promise.all(this.workers.splice(0).map((worker) => worker.terminate()));
  }
}
