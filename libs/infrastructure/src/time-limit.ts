/** The work was not done in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** Settles with `work`, or rejects with TooLate once the time is over; how `work` ends then is nobody's concern. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate()), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
