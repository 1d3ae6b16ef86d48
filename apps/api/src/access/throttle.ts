const WINDOW_MS = 10_000;

/** All keys of a store together may send as many requests as two keys, because a store may have thousands. */
export const KEYS_OF_STORE = 2;

/**
 * Counts each key's requests in a sliding window of 10 s, estimated from two fixed windows. Refused requests count too,
 * so that a loop stays throttled until it slows down.
 */
export class Throttle {
  private window = 0;
  // A key without requests in two windows is dropped with them, so the memory is limited by the keys in use.
  private current = new Map<string, number>();
  private previous = new Map<string, number>();

  /** @param limit requests in 10 s by one key; 0 means no limit. */
  constructor(
    private readonly limit: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @param times the factor by which the limit exceeds that of a key.
   * @returns 0 to admit the request, or the seconds after which the client may retry.
   */
  admit(keyId: string, times = 1): number {
    const limit = this.limit * times;
    if (limit === 0) return 0;
    const elapsed = this.slide();
    const count = (this.current.get(keyId) ?? 0) + 1;
    this.current.set(keyId, count);

    const before = this.previous.get(keyId) ?? 0;
    const estimate = before * (1 - elapsed / WINDOW_MS) + count;
    return estimate > limit ? retryAfterSeconds(limit - 1, before, count, elapsed) : 0;
  }

  private slide(): number {
    const now = this.now();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.window) {
      this.previous = window === this.window + 1 ? this.current : new Map<string, number>();
      this.current = new Map();
      this.window = window;
    }
    return now % WINDOW_MS;
  }
}

function retryAfterSeconds(room: number, before: number, count: number, elapsed: number): number {
  const wait =
    count <= room
      ? WINDOW_MS * (1 - (room - count) / before) - elapsed // the previous window must fade
      : 2 * WINDOW_MS - elapsed - (WINDOW_MS * room) / count; // this window must end and fade
  return Math.max(1, Math.ceil(wait / 1000));
}
