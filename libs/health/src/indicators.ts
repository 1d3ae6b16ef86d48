import { Config, VERSION } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from './readiness.js';

const MIB = 2 ** 20;

/** The checks of `/health`, by their names in the answer. They read what the background check found: they ask nobody. */
@Injectable()
export class Indicators {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
    private readonly config: Config,
  ) {}

  /** Down after three background checks without an answer. */
  database(): HealthIndicatorResult {
    return this.upIf(this.readiness.databaseAnswers, 'database');
  }

  /** Down until the migrations of this release have run. */
  schema(): HealthIndicatorResult {
    return this.upIf(this.readiness.schemaCurrent, 'schema');
  }

  /** Down while the process prepares to serve, and from the beginning of its shutdown. */
  serving(): HealthIndicatorResult {
    return this.upIf(this.readiness.serving, 'serving');
  }

  /** Down when stages wait too long for a worker, or too many have failed for good. */
  pipeline(): HealthIndicatorResult {
    const { pipelineLagSeconds, deadLetters: most } = this.config.healthLimits;
    const { lagSeconds = null, deadLetters = null } = this.readiness.told.pipeline ?? {};
    return this.upUnless('pipeline', { lag_seconds: lagSeconds, dead_letters: deadLetters }, [
      (lagSeconds ?? 0) > pipelineLagSeconds &&
        `The oldest due stage has waited ${Math.floor(lagSeconds ?? 0)} s: more than ${pipelineLagSeconds} s (PIPELINE_MAX_LAG_SECONDS)`,
      (deadLetters ?? 0) > most &&
        `${deadLetters} stages have failed for good: more than ${most} (PIPELINE_MAX_DEAD_LETTERS)`,
    ]);
  }

  /** Down when committed changes wait too long for their position in the feed. */
  feed(): HealthIndicatorResult {
    const { feedLagSeconds: lag } = this.readiness.told;
    const { feedLagSeconds: most } = this.config.healthLimits;
    return this.upUnless('feed', { lag_seconds: lag }, [
      (lag ?? 0) > most &&
        `Changes have waited ${Math.floor(lag ?? 0)} s for their position: more than ${most} s (FEED_MAX_LAG_SECONDS)`,
    ]);
  }

  /** Down when a replication slot keeps so much WAL that the disk may fill, or has lost WAL that its standby needs. */
  wal(): HealthIndicatorResult {
    const { slots } = this.readiness.told;
    const { retainedWalMib: most } = this.config.healthLimits;
    const retained = slots && Math.max(0, ...slots.map(({ retainedBytes }) => retainedBytes));
    const reasons = (slots ?? []).flatMap(({ name, walStatus, retainedBytes }) => [
      (walStatus === 'unreserved' || walStatus === 'lost') && `The WAL of replication slot ${name} is ${walStatus}`,
      retainedBytes > most * MIB &&
        `Replication slot ${name} retains ${Math.floor(retainedBytes / MIB)} MiB of WAL: more than ${most} MiB (WAL_MAX_RETAINED_MIB)`,
    ]);
    return this.upUnless('wal', { slots: slots?.length ?? null, retained_bytes: retained }, reasons);
  }

  version(): HealthIndicatorResult {
    return this.indicators.check('version').up({ version: VERSION });
  }

  private upIf(isUp: boolean, name: string): HealthIndicatorResult {
    const indicator = this.indicators.check(name);
    return isUp ? indicator.up() : indicator.down();
  }

  /** Down with the reasons that apply; up when none does. */
  private upUnless(name: string, data: object, found: readonly (string | false)[]): HealthIndicatorResult {
    const indicator = this.indicators.check(name);
    const reasons = found.filter((reason) => reason !== false);
    return reasons.length > 0 ? indicator.down({ ...data, reasons }) : indicator.up({ ...data });
  }
}
