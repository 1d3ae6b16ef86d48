import { DatabaseProbe, type DatabaseState } from '@app/infrastructure';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const INTERVAL_MS = 2_000;
/** One slow answer is not an outage: an instance that leaves for it moves its load to the others. */
const MISSES_TO_FAIL = 3;
const UNKNOWN: DatabaseState = { schemaCurrent: false, pipeline: null, feedLagSeconds: null, slots: null };

/**
 * Knows whether this process can serve. A background check queries the database every 2 s, so a probe needs no query
 * and a flood of probes does no harm.
 */
@Injectable()
export class Readiness implements OnApplicationBootstrap, OnApplicationShutdown {
  /** False while the demo store is loaded, and from the beginning of the shutdown: the process is not ready then. */
  serving = true;
  private misses = MISSES_TO_FAIL;
  private last = UNKNOWN;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly probe: DatabaseProbe) {}

  get databaseAnswers(): boolean {
    return this.misses < MISSES_TO_FAIL;
  }

  get schemaCurrent(): boolean {
    return this.last.schemaCurrent;
  }

  /** What the database told; null without an answer. */
  get told(): Omit<DatabaseState, 'schemaCurrent'> {
    return this.databaseAnswers ? this.last : UNKNOWN;
  }

  async check(): Promise<void> {
    try {
      this.last = await this.probe.ask();
      this.misses = 0;
    } catch {
      this.misses++;
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.check();
    this.timer = setInterval(() => void this.check(), INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.probe.close();
  }
}
