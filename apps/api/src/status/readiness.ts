import type { DatabaseProbe, DatabaseState, PipelineState } from '@app/infrastructure';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

const INTERVAL_MS = 2_000;
/** One slow answer is not an outage: an instance that leaves for it moves its load to the others. */
const MISSES_TO_FAIL = 3;

/**
 * Knows whether this process can serve. A background check queries the database every 2 s, so a probe needs no query
 * and a flood of probes does no harm.
 */
export class Readiness implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Set when the shutdown begins: the process then reports that it is not ready. */
  draining = false;
  private misses = MISSES_TO_FAIL;
  private last: DatabaseState = { schemaCurrent: false, pipeline: null };
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly probe: Pick<DatabaseProbe, 'ask' | 'close'>,
    private readonly intervalMs = INTERVAL_MS,
  ) {}

  get databaseAnswers(): boolean {
    return this.misses < MISSES_TO_FAIL;
  }

  get schemaCurrent(): boolean {
    return this.last.schemaCurrent;
  }

  /** Null when unknown. */
  get pipeline(): PipelineState | null {
    return this.databaseAnswers ? this.last.pipeline : null;
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
    this.timer = setInterval(() => void this.check(), this.intervalMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.probe.close();
  }
}
