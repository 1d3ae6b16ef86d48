import { within } from '@app/application';

interface Group<Value> {
  readonly keys: Set<string>;
  readonly answers: Promise<ReadonlyMap<string, Value>>;
}

/**
 * Groups look-ups the way databases group commits: while look-ups are in flight, those who arrive wait for the next,
 * which asks for all their keys at once. An answer comes from a look-up that started after it was asked for, so it is
 * never older than the question, and nothing is cached.
 */
export class GroupedLookup<Value> {
  private waiting: Group<Value> | null = null;
  private readonly inFlight: Promise<unknown>[] = [];

  /**
   * @param lookUp finds the values of many keys; a key without a value is absent from the result.
   * @param concurrent look-ups in flight at most. With one alone, everybody waits for the database in step.
   * @param patienceMs how long the first of a group waits for its answer, and the others less.
   */
  constructor(
    private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly concurrent: number,
    private readonly patienceMs: number,
  ) {}

  /** @throws DeadlineExceeded, or whatever the look-up of its group threw. */
  async find(key: string): Promise<Value | null> {
    this.waiting ??= this.nextGroup();
    this.waiting.keys.add(key);
    return (await this.waiting.answers).get(key) ?? null;
  }

  private nextGroup(): Group<Value> {
    const keys = new Set<string>();
    const earliest = this.inFlight.length < this.concurrent ? null : this.inFlight.shift();
    const answers = Promise.resolve(earliest).then(() => {
      // From here on the group is closed: who comes now needs an answer younger than this one.
      this.waiting = null;
      return this.lookUp([...keys]);
    });
    this.inFlight.push(answers.catch(() => undefined));
    return { keys, answers: within(this.patienceMs, answers) };
  }
}
