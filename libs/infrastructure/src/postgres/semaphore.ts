import { Overloaded } from '@app/application';

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Limits concurrency: at most `most()` tasks run, the rest wait in order. */
export class Semaphore {
  private running = 0;
  private readonly queue = new Set<Waiting>();

  /**
   * @param most is called for each task.
   * @param patienceMs milliseconds that a task waits for its turn.
   */
  constructor(
    private readonly most: () => number,
    private readonly patienceMs: number,
  ) {}

  /** @throws Overloaded when its turn does not come in time. The work has not begun then. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.most()) this.running++;
    else await this.turn();
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private turn(): Promise<void> {
    return new Promise((begin, reject) => {
      const waiting = {
        begin,
        timer: setTimeout(() => {
          this.queue.delete(waiting);
          reject(new Overloaded());
        }, this.patienceMs),
      };
      this.queue.add(waiting);
    });
  }

  /** Hands the place to the task that has waited longest. */
  private next(): void {
    const [first] = this.queue;
    if (first) {
      this.queue.delete(first);
      clearTimeout(first.timer);
      first.begin();
    } else this.running--;
  }
}
