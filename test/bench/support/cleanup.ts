/** Processes to stop and files to remove at the end, the last first. */
export class Cleanup {
  private tasks: (() => Promise<unknown>)[] = [];

  add(task: () => Promise<unknown>): void {
    this.tasks.push(task);
  }

  /** Runs every step, even when one fails. */
  async run(): Promise<void> {
    for (let task = this.tasks.pop(); task; task = this.tasks.pop()) await task().catch(() => undefined);
  }
}
