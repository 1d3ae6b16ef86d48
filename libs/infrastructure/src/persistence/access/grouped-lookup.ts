import { within } from '@app/application';

interface Group<Value> {
  readonly keys: Set<string>;
  readonly answers: Promise<ReadonlyMap<string, Value>>;
}

/**
 * Groups look-ups the way databases group commits: while one look-up is in flight, those who arrive wait for the next,
 * which asks for all their keys at once. An answer comes from a look-up that started after it was asked for, so it is
 * never older than the question, and nothing is cached.
 */
export class GroupedLookup<Value> {
  private waiting: Group<Value> | null = null;
  private inFlight: Promise<unknown> = Promise.resolve();

  /**
   * @param lookUp finds the values of many keys; a key without a value is absent from the result.
   * @param patienceMs how long the first of a group waits for its answer, and the others less.
   */
  constructor(
    private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly patienceMs: number,
  ) {}

  /** @throws TooLate, or whatever the look-up of its group threw. */
  async find(key: string): Promise<Value | null> {
    this.waiting ??= this.nextGroup();
    this.waiting.keys.add(key);
    return (await this.waiting.answers).get(key) ?? null;
  }

  private nextGroup(): Group<Value> {
    const keys = new Set<string>();
    const answers = this.inFlight.then(() => {
      // From here on the group is closed: who comes now needs an answer younger than this one.
      this.waiting = null;
      return this.lookUp([...keys]);
    });
    this.inFlight = answers.catch(() => undefined);
    return { keys, answers: within(this.patienceMs, answers) };
  }
}
