import { MAX_WAITING } from './capacity.js';
import type { Deadline } from './deadline.js';
import { Overloaded } from './failures.js';

interface Waiting {
  readonly owner: unknown;
  readonly begin: () => void;
  readonly refuse: () => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Limits concurrency. The next task is the longest waiting one of the owner with the fewest running tasks. */
export class Semaphore {
  private readonly running: unknown[] = [];
  private readonly queue = new Set<Waiting>();

  /**
   * @param most the maximum number of running tasks; called for each task.
   * @param timeoutMs how long a task waits for its slot; Infinity means no limit.
   * @param mostOfOwner the maximum number of running tasks of one owner.
   * @param mostWaiting the maximum number of waiting tasks. A full queue refuses the newest task of the owner with the
   * most, so that a few owners cannot keep others out.
   */
  constructor(
    private readonly most: () => number,
    private readonly timeoutMs: number,
    private readonly mostOfOwner = Infinity,
    private readonly mostWaiting = MAX_WAITING,
  ) {}

  /**
   * @param owner the store that the task runs for.
   * @param deadline ends the wait, if it is earlier than `timeoutMs` from now.
   * @throws Overloaded when too many tasks wait, or when the wait times out.
   */
  async run<T>(owner: unknown, work: () => Promise<T>, deadline: Deadline | null = null): Promise<T> {
    if (this.running.length < this.most() && this.runningOf(owner) < this.mostOfOwner) this.running.push(owner);
    else await this.waitForSlot(owner, Math.min(this.timeoutMs, deadline?.remainingMs ?? Infinity));
    try {
      return await work();
    } finally {
      this.running.splice(this.running.indexOf(owner), 1);
      this.next();
    }
  }

  private waitForSlot(owner: unknown, timeoutMs: number): Promise<void> {
    if (this.queue.size >= this.mostWaiting) this.makeRoomFor(owner);
    return new Promise((begin, reject) => {
      const refuse = () => {
        this.queue.delete(waiting);
        clearTimeout(timer);
        reject(new Overloaded());
      };
      const timer = timeoutMs === Infinity ? undefined : setTimeout(refuse, timeoutMs);
      const waiting: Waiting = { owner, begin, refuse, timer };
      this.queue.add(waiting);
    });
  }

  /** @throws Overloaded when no owner has at least two waiting tasks more than this one. */
  private makeRoomFor(owner: unknown): void {
    const tasksOf = (other: unknown) => [...this.queue].filter((waiting) => waiting.owner === other);
    const own = tasksOf(owner).length;
    const most = [...new Set([...this.queue].map((waiting) => waiting.owner))]
      .map(tasksOf)
      .reduce((longest, tasks) => (tasks.length > longest.length ? tasks : longest));
    if (most.length <= own + 1) throw new Overloaded();
    most.at(-1)?.refuse();
  }

  private next(): void {
    let first: Waiting | null = null;
    let fewest = this.mostOfOwner;
    for (const waiting of this.queue) {
      const running = this.runningOf(waiting.owner);
      if (running < fewest) [first, fewest] = [waiting, running];
    }
    if (!first) return;
    this.queue.delete(first);
    clearTimeout(first.timer);
    this.running.push(first.owner);
    first.begin();
  }

  get waiting(): number {
    return this.queue.size;
  }

  private runningOf(owner: unknown): number {
    return this.running.filter((other) => other === owner).length;
  }
}
