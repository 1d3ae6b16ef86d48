import { MAX_KEY_LOOK_UPS, READ_ANSWER_MS, within } from '@app/application';

interface Group<Value> {
  readonly keys: Set<string>;
  readonly answers: Promise<ReadonlyMap<string, Value>>;
}

/**
 * Groups look-ups like databases group commits: keys that arrive while look-ups are in flight wait for the next
 * look-up, which fetches them all at once. Each answer comes from a look-up that started after the question, so it is
 * never stale, and nothing is cached.
 */
export class GroupedLookup<Value> {
  private waiting: Group<Value> | null = null;
  private readonly inFlight: Promise<unknown>[] = [];

  /**
   * @param lookUp a key without a value is absent from its result.
   * @param timeoutMs how long the first caller of a group waits for its answer; later callers of the group wait less.
   */
  constructor(
    private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly timeoutMs = READ_ANSWER_MS,
    private readonly concurrent = MAX_KEY_LOOK_UPS,
  ) {}

  /** @throws DeadlineExceeded, or the error of the group's look-up. */
  async find(key: string): Promise<Value | null> {
    this.waiting ??= this.nextGroup();
    this.waiting.keys.add(key);
    return (await this.waiting.answers).get(key) ?? null;
  }

  private nextGroup(): Group<Value> {
    const keys = new Set<string>();
    const earliest = this.inFlight.length < this.concurrent ? null : this.inFlight.shift();
    const answers = Promise.resolve(earliest).then(() => {
      // The group is closed here: a later caller needs an answer from a later look-up.
      this.waiting = null;
      return this.lookUp([...keys]);
    });
    this.inFlight.push(answers.catch(() => undefined));
    return { keys, answers: within(this.timeoutMs, answers) };
  }
}
