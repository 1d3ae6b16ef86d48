/** The work was not done in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Settles with `work`, or rejects with DeadlineExceeded once the time is over; how `work` ends then is nobody's concern. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded()), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The moment by which a request that is kept waiting has to be answered. */
export class Deadline {
  private constructor(private readonly at: number) {}

  static in(milliseconds: number): Deadline {
    return new Deadline(performance.now() + milliseconds);
  }

  /** Never negative. */
  get remainingMs(): number {
    return Math.max(0, this.at - performance.now());
  }

  /** Waits for `work` until the deadline. Only for work that may end either way then: how it does is not known. */
  bound<T>(work: Promise<T>): Promise<T> {
    return within(this.remainingMs, work);
  }
}
