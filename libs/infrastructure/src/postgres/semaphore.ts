import { Overloaded } from '@app/application';

/** The most tasks that wait, in all and for one owner. The tasks of one owner leave places to others. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_OWNER = MAX_WAITING / 2;

interface Waiting {
  readonly owner: unknown;
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Limits concurrency: at most `most()` tasks run, `mostOfOwner` of one owner, 64 wait, and the rest are refused. The next task
 * is the one that has waited longest of the owner with the fewest running tasks.
 */
export class Semaphore {
  /** The owner of each running task. */
  private readonly running: unknown[] = [];
  private readonly queue = new Set<Waiting>();

  /**
   * @param most is called for each task.
   * @param patienceMs milliseconds that a task waits for its turn.
   * @param mostOfOwner tasks of one owner that run.
   */
  constructor(
    private readonly most: () => number,
    private readonly patienceMs: number,
    private readonly mostOfOwner = Infinity,
  ) {}

  /**
   * @param owner the store on whose behalf the task runs. One owner's tasks take at most half of the places to wait.
   * @throws Overloaded when too many tasks wait, or when its turn does not come in time. The work has not begun then.
   */
  async run<T>(owner: unknown, work: () => Promise<T>): Promise<T> {
    if (this.running.length < this.most() && this.runningOf(owner) < this.mostOfOwner) this.running.push(owner);
    else await this.turn(owner);
    try {
      return await work();
    } finally {
      this.running.splice(this.running.indexOf(owner), 1);
      this.next();
    }
  }

  private turn(owner: unknown): Promise<void> {
    const ofOwner = [...this.queue].filter((waiting) => waiting.owner === owner).length;
    const isFull = this.queue.size >= MAX_WAITING || ofOwner >= MAX_WAITING_OF_OWNER;
    if (isFull) throw new Overloaded();
    return new Promise((begin, reject) => {
      const waiting: Waiting = {
        owner,
        begin,
        timer: setTimeout(() => {
          this.queue.delete(waiting);
          reject(new Overloaded());
        }, this.patienceMs),
      };
      this.queue.add(waiting);
    });
  }

  private next(): void {
    const [first] = [...this.queue]
      .filter(({ owner }) => this.runningOf(owner) < this.mostOfOwner)
      .sort((one, other) => this.runningOf(one.owner) - this.runningOf(other.owner));
    if (!first) return;
    this.queue.delete(first);
    clearTimeout(first.timer);
    this.running.push(first.owner);
    first.begin();
  }

  private runningOf(owner: unknown): number {
    return this.running.filter((other) => other === owner).length;
  }
}
