import { Logger } from '@nestjs/common';
import { failureName } from './error-code.js';
import { OutageLog } from './outage-log.js';
import { atMost, ProcessLoop } from './process-loop.js';

const RETRY_MS = 1_000;
/** The wait with a backlog: what ends in this time makes room for one claim. */
const COLLECT_MS = 10;

export interface ClaimLoopOptions {
  /** The work of the queue, in the plural, for the log. */
  readonly what: string;
  /** How much of it runs at a time. */
  readonly concurrency: number;
  /** The longest wait of due work for a free worker. */
  readonly pollMs: number;
  /** How long a shutdown waits for what runs. */
  readonly shutdownMs: number;
}

/** Claims what is due in a queue, and runs it at least once. Workers in several processes share the work. */
export abstract class ClaimLoop<Claim> extends ProcessLoop {
  private readonly logger = new Logger(this.constructor.name);
  private readonly outage: OutageLog;
  protected readonly running = new Map<Promise<void>, Claim>();

  constructor(private readonly options: ClaimLoopOptions) {
    super(options.shutdownMs);
    this.outage = new OutageLog(options.what, (line) => this.logger.warn(line));
  }

  /** Claims due work, which no other worker then has for some time. @param most from 1. */
  abstract claim(most: number): Promise<readonly Claim[]>;

  /** Runs what it has claimed. After a failure, which the log has, the queue says when the work is due again. */
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

  /** @returns how much it has started; null after a failure. */
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
