import { Config } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from '../readiness.js';
import { verdict } from './verdict.js';

/** Down when committed changes wait too long for their position in the feed. */
@Injectable()
export class FeedIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
    private readonly config: Config,
  ) {}

  check(): HealthIndicatorResult {
    const { feedLagSeconds: lag } = this.readiness.told;
    const { feedLagSeconds: most } = this.config.healthLimits;
    return verdict(this.indicators.check('feed'), { lag_seconds: lag }, [
      (lag ?? 0) > most &&
        `Changes have waited ${Math.floor(lag ?? 0)} s for their position: more than ${most} s (FEED_MAX_LAG_SECONDS)`,
    ]);
  }
}
