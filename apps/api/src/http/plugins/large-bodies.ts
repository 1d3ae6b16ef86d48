import { Overloaded } from '@app/application';
import { ClientGone } from '../../errors/client-gone.js';

/** Larger bodies, in bytes, wait for their turn. An order of 100 lines has about 6 kB. */
export const LARGE_BODY = 32 * 1024;

/** The most large bodies that wait. They hold 16 MB at most. */
const MAX_WAITING = 64;
/** The longest wait of a body. The rest of an order's 2.5 s is enough to place it. */
const PATIENCE_MS = 2_000;
/** The pause after a body, as a multiple of its parsing time. Leaves four fifths of the process to other requests. */
const REST = 4;
/** The shortest pause: receiving 256 kB and collecting its garbage cost about 7 ms, whatever the content. */
const MIN_REST_MS = 25;

/**
 * Reads large bodies one at a time, in order of arrival, with a pause after each. Small requests proceed in the pauses,
 * however many clients send large bodies.
 */
export class LargeBodies {
  private readonly waiting: (() => void)[] = [];
  private isBusy = false;

  /**
   * No pause follows a body whose client is gone: clients that send and disconnect would delay the others.
   *
   * @throws Overloaded when too many bodies wait, or when this one waited too long.
   */
  async inTurn<T>(read: () => T): Promise<T> {
    if (this.waiting.length >= MAX_WAITING) throw new Overloaded();
    const came = performance.now();
    if (this.isBusy) await new Promise<void>((begin) => this.waiting.push(begin));
    this.isBusy = true;
    const start = performance.now();
    if (start - came > PATIENCE_MS) {
      this.next();
      throw new Overloaded();
    }
    let isGone = false;
    try {
      return read();
    } catch (error) {
      isGone = error instanceof ClientGone;
      throw error;
    } finally {
      if (isGone) this.next();
      else setTimeout(() => this.next(), Math.max(MIN_REST_MS, (performance.now() - start) * REST));
    }
  }

  private next(): void {
    const begin = this.waiting.shift();
    if (begin) begin();
    else this.isBusy = false;
  }
}
