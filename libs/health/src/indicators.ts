import { Config, HEALTH_LIMIT_MS, HealthConnection, InstallationGauges, VERSION } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';

const MIB = 2 ** 20;
/** All probes within this time share one check of the database. */
const SHARED_MS = 1_000;

/** The process is not ready while the demo store is loaded, and from the beginning of the shutdown. */
export class Readiness {
  serving = true;
}

@Injectable()
export class Indicators {
  private isSchemaCurrent = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly connection: HealthConnection,
    private readonly gauges: InstallationGauges,
    private readonly readiness: Readiness,
    private readonly config: Config,
  ) {}

  /** Is down unless a primary answers within 2 s. */
  async database(): Promise<HealthIndicatorResult> {
    return this.reportUpIf(await this.databaseAnswers(), 'database');
  }

  /**
   * Is down until the migrations of this release have run. When the database does not answer, the last known state
   * counts.
   */
  async schema(): Promise<HealthIndicatorResult> {
    await this.databaseAnswers();
    return this.reportUpIf(this.isSchemaCurrent, 'schema');
  }

  serving(): HealthIndicatorResult {
    return this.reportUpIf(this.readiness.serving, 'serving');
  }

  /**
   * Is down beyond the limits of the configuration. A figure that the database did not return in time is null, and
   * counts as up.
   */
  async installation(): Promise<HealthIndicatorResult> {
    const gauges = await this.gauges.read();
    const value = (name: string) => gauges.get(name)?.[0]?.value ?? null;
    const lag = value('pipeline_lag_seconds');
    const dead = value('pipeline_dead_letters');
    const feedLag = value('feed_lag_seconds');
    const slots = gauges.get('database_slot_retained_bytes') ?? null;
    const most = this.config.healthLimits;
    return {
      ...this.reportUpUnless('pipeline', { lag_seconds: lag, dead_letters: dead }, [
        (lag ?? 0) > most.pipelineLagSeconds &&
          `The oldest due stage has waited ${Math.floor(lag ?? 0)} s: more than ${most.pipelineLagSeconds} s (PIPELINE_MAX_LAG_SECONDS)`,
        (dead ?? 0) > most.deadLetters &&
          `${dead} stages have failed for good: more than ${most.deadLetters} (PIPELINE_MAX_DEAD_LETTERS)`,
      ]),
      ...this.reportUpUnless('feed', { lag_seconds: feedLag }, [
        (feedLag ?? 0) > most.feedLagSeconds &&
          `Changes have waited ${Math.floor(feedLag ?? 0)} s for a position in the feed: more than ${most.feedLagSeconds} s (FEED_MAX_LAG_SECONDS)`,
      ]),
      ...this.reportUpUnless(
        'wal',
        {
          slots: slots?.length ?? null,
          retained_bytes: slots && Math.max(0, ...slots.map(({ value: bytes }) => bytes)),
        },
        (slots ?? []).flatMap(({ slot, wal_status: status, value: bytes }) => [
          (status === 'unreserved' || status === 'lost') && `The WAL of replication slot ${slot} is ${status}`,
          bytes > most.retainedWalMib * MIB &&
            `Replication slot ${slot} retains ${Math.floor(bytes / MIB)} MiB of WAL: more than ${most.retainedWalMib} MiB (WAL_MAX_RETAINED_MIB)`,
        ]),
      ),
    };
  }

  version(): HealthIndicatorResult {
    return this.indicators.check('version').up({ version: VERSION });
  }

  /** Drops the database's message, which may name a server or a role. */
  private async databaseAnswers(): Promise<boolean> {
    const { database } = await this.indicators
      .check('database')
      .attempt(async () => {
        this.isSchemaCurrent = await this.connection.isSchemaCurrent();
      })
      .withTimeout(HEALTH_LIMIT_MS)
      .cacheFor(SHARED_MS);
    return database.status === 'up';
  }

  private reportUpIf(isUp: boolean, name: string): HealthIndicatorResult {
    const indicator = this.indicators.check(name);
    return isUp ? indicator.up() : indicator.down();
  }

  private reportUpUnless(name: string, data: object, checks: readonly (string | false)[]): HealthIndicatorResult {
    const indicator = this.indicators.check(name);
    const reasons = checks.filter((reason) => reason !== false);
    return reasons.length > 0 ? indicator.down({ ...data, reasons }) : indicator.up({ ...data });
  }
}
