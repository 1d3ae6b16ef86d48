import { Logger } from '@nestjs/common';
import { failureName } from './error-code.js';
import { OutageLog } from './outage-log.js';
import { atMost, ProcessLoop } from './process-loop.js';

const RETRY_MS = 1_000;
/** The wait with a backlog: the tasks that end in this time make room for one claim. */
const COLLECT_MS = 10;

export interface ClaimLoopOptions {
  /** The tasks of the queue, in the plural, for the log. */
  readonly what: string;
  /** How many tasks run concurrently. */
  readonly concurrency: number;
  /** How long a due task waits at most for an idle worker. */
  readonly pollMs: number;
  /** How long a shutdown waits for running tasks. */
  readonly shutdownMs: number;
}

/** Claims due tasks of a queue, and runs each at least once. Workers in several processes share the queue. */
export abstract class ClaimLoop<Claim> extends ProcessLoop {
  private readonly logger = new Logger(this.constructor.name);
  private readonly outage: OutageLog;
  protected readonly running = new Map<Promise<void>, Claim>();

  constructor(private readonly options: ClaimLoopOptions) {
    super(options.shutdownMs);
    this.outage = new OutageLog(options.what, (line) => this.logger.warn(line));
  }

  /** Claims due tasks, which no other worker then gets for some time. @param most at least 1. */
  abstract claim(most: number): Promise<readonly Claim[]>;

  /** Runs a claimed task. After a failure, which is logged, the queue decides when the task is due again. */
  abstract execute(claim: Claim): Promise<void>;

  /** Whether due work may wait only for the end of other work. */
  protected isHeldBack(): boolean {
    return false;
  }

  protected override async run(): Promise<void> {
    const { concurrency, pollMs } = this.options;
    await this.repeat(async () => {
      const free = concurrency - this.running.size;
      const claimed = await this.startDue(free);
      if (claimed === null) return RETRY_MS;
      if (claimed < free && !this.isHeldBack()) return pollMs;
      const anEnd = Promise.race(this.running.keys());
      await (claimed < free ? atMost(pollMs, anEnd) : anEnd);
      return COLLECT_MS;
    });
    await Promise.all(this.running.keys());
  }

  /** @returns how many tasks it has started; null after a failure. */
  private async startDue(most: number): Promise<number | null> {
    try {
      const claims = await this.claim(most);
      for (const claim of claims) this.start(claim);
      return claims.length;
    } catch (error) {
      this.note('cannot be claimed', error);
      return null;
    }
  }

  private start(claim: Claim): void {
    const attempt = this.execute(claim)
      .catch((error: unknown) => this.note('failed', error))
      .finally(() => this.running.delete(attempt));
    this.running.set(attempt, claim);
  }

  private note(what: string, error: unknown): void {
    this.outage.note(`${this.options.what} ${what}: ${failureName(error as Error)}`);
  }
}
