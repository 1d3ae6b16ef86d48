import { DeadlineExceeded } from '@app/application';

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets only so many pieces of work of a kind run at the same time. */
export class Semaphore {
  private running = 0;
  private readonly queue = new Set<Waiting>();

  /**
   * @param most asked for each time.
   * @param patienceMs how long one waits for its turn.
   */
  constructor(
    private readonly most: () => number,
    private readonly patienceMs: number,
  ) {}

  /** @throws DeadlineExceeded when its turn does not come in time; it is not begun then. */
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
          reject(new DeadlineExceeded());
        }, this.patienceMs),
      };
      this.queue.add(waiting);
    });
  }

  /** Whoever has waited longest takes the place; nobody else can in between. */
  private next(): void {
    const [first] = this.queue;
    if (first) {
      this.queue.delete(first);
      clearTimeout(first.timer);
      first.begin();
    } else this.running--;
  }
}
