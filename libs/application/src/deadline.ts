import { DeadlineExceeded } from './failures.js';

/** `work` continues after the timeout; its late result is ignored. @throws DeadlineExceeded after `milliseconds`. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded()), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export class Deadline {
  private constructor(private readonly at: number) {}

  static in(milliseconds: number): Deadline {
    return new Deadline(performance.now() + milliseconds);
  }

  /** The remaining milliseconds, never negative. */
  get remainingMs(): number {
    return Math.max(0, this.at - performance.now());
  }

  /** Limits work like {@link within}: `work` must be harmless after the deadline. */
  bound<T>(work: Promise<T>): Promise<T> {
    return within(this.remainingMs, work);
  }
}
