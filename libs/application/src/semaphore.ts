import { MAX_WAITING } from './capacity.js';
import type { Deadline } from './deadline.js';
import { Overloaded } from './errors.js';

interface Waiting {
  readonly owner: unknown;
  readonly begin: () => void;
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
   * @param mostWaiting the maximum number of waiting tasks. One owner may take half of this number, and leaves the rest
   * to others.
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
    else await this.turn(owner, Math.min(this.timeoutMs, deadline?.remainingMs ?? Infinity));
    try {
      return await work();
    } finally {
      this.running.splice(this.running.indexOf(owner), 1);
      this.next();
    }
  }

  private turn(owner: unknown, timeoutMs: number): Promise<void> {
    const ofOwner = [...this.queue].filter((waiting) => waiting.owner === owner).length;
    const isFull = this.queue.size >= this.mostWaiting || ofOwner >= this.mostWaiting / 2;
    if (isFull) throw new Overloaded();
    return new Promise((begin, reject) => {
      const refuse = () => {
        this.queue.delete(waiting);
        reject(new Overloaded());
      };
      const timer = timeoutMs === Infinity ? undefined : setTimeout(refuse, timeoutMs);
      const waiting: Waiting = { owner, begin, timer };
      this.queue.add(waiting);
    });
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
