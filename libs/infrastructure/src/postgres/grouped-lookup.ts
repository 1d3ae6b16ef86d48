import { Deadline, READ_ANSWER_MS } from '@app/application';

export interface Pace {
  /** Keys of one look-up. */
  readonly most: number;
  /** Look-ups in flight. */
  readonly concurrent: number;
  /** Is awaited before each caller gets its answer, and the look-up counts as in flight until all have theirs. */
  readonly turn?: () => Promise<void>;
}

/** Measured: two in flight raise the rate of all reads by a tenth, three bring no more. */
export const FULL_PACE: Pace = { most: Infinity, concurrent: 2 };

interface Caller<Value> {
  readonly deadline: Deadline;
  readonly resolve: (value: Value | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups look-ups the way databases group commits: keys that arrive while look-ups are in flight wait for the next one,
 * which fetches them all at once. Each answer comes from a look-up that started after the question, so it is never
 * stale, and nothing is cached.
 */
export class GroupedLookup<Value> {
  private readonly waiting = new Map<string, Caller<Value>[]>();
  private inFlight = 0;

  /**
   * @param lookUp a key without a value is absent from its result.
   * @param timeoutMs the wait of a caller for its answer.
   * @param pace asked before each look-up.
   */
  constructor(
    private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly timeoutMs = READ_ANSWER_MS,
    private readonly pace: () => Pace = () => FULL_PACE,
  ) {}

  /** @throws DeadlineExceeded, or the error of the look-up. */
  find(key: string): Promise<Value | null> {
    const deadline = Deadline.in(this.timeoutMs);
    const answer = new Promise<Value | null>((resolve, reject) => {
      const caller = { deadline, resolve, reject };
      const callers = this.waiting.get(key);
      if (callers) callers.push(caller);
      else this.waiting.set(key, [caller]);
    });
    this.begin();
    return deadline.bound(answer);
  }

  private begin(): void {
    if (this.waiting.size === 0 || this.inFlight >= this.pace().concurrent) return;
    this.inFlight++;
    // Callers of the same moment share the look-up.
    void Promise.resolve()
      .then(() => this.next())
      .finally(() => {
        this.inFlight--;
        this.begin();
      });
  }

  private async next(): Promise<void> {
    const asked = this.take();
    if (asked.size === 0) return;
    let found: ReadonlyMap<string, Value>;
    try {
      found = await this.lookUp([...asked.keys()]);
    } catch (error) {
      for (const { reject } of [...asked.values()].flat()) reject(error);
      return;
    }
    for (const [key, callers] of asked) {
      for (const { resolve } of callers) {
        await this.pace().turn?.();
        resolve(found.get(key) ?? null);
      }
    }
  }

  /** The keys that have waited longest, without those whose callers have given up. */
  private take(): Map<string, Caller<Value>[]> {
    const taken = new Map<string, Caller<Value>[]>();
    const { most } = this.pace();
    for (const [key, callers] of this.waiting) {
      if (taken.size >= most) break;
      this.waiting.delete(key);
      if (callers.some(({ deadline }) => deadline.remainingMs > 0)) taken.set(key, callers);
    }
    return taken;
  }
}
