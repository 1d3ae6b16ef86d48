/** What has to be ended and removed, whatever happens; the last first. */
export class Cleanup {
  private tasks: (() => Promise<unknown>)[] = [];

  add(task: () => Promise<unknown>): void {
    this.tasks.push(task);
  }

  /** Does all of it, also when a part fails. */
  async run(): Promise<void> {
    for (let task = this.tasks.pop(); task; task = this.tasks.pop()) await task().catch(() => undefined);
  }
}
