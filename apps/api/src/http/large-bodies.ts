import { Overloaded } from '@app/application';

/** Bytes of a body above which it is parsed in turn. An order of 100 lines has some 6 kB. */
export const LARGE_BODY = 32 * 1024;

/** How many large bodies may wait: 16 MB at most. */
const MAX_WAITING = 64;
/** How long: of the 2.5 s that an order has, the rest is enough to place it. */
const PATIENCE_MS = 2_000;
/** Of the time that parsing took: four fifths of the process are left to everybody else. */
const REST = 4;
/** At the least, because receiving 256 kB costs too, whatever is in them. */
const MIN_REST_MS = 10;

/**
 * Reads large bodies one at a time, in the order in which they came, with a rest after each. Small requests pass between
 * them, however many clients send large ones.
 */
export class LargeBodies {
  private readonly waiting: (() => void)[] = [];
  private isBusy = false;

  /** @throws Overloaded when too many wait, or for too long. */
  async inTurn<T>(read: () => T): Promise<T> {
    if (this.waiting.length >= MAX_WAITING) throw new Overloaded();
    const came = performance.now();
    if (this.isBusy) await new Promise<void>((begin) => this.waiting.push(begin));
    this.isBusy = true;
    const start = performance.now();
    try {
      if (start - came > PATIENCE_MS) throw new Overloaded();
      return read();
    } finally {
      setTimeout(() => this.next(), Math.max(MIN_REST_MS, (performance.now() - start) * REST));
    }
  }

  private next(): void {
    const begin = this.waiting.shift();
    if (begin) begin();
    else this.isBusy = false;
  }
}
