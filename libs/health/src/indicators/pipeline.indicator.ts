import { Config } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from '../readiness.js';
import { verdict } from './verdict.js';

/** Down when stages wait too long for a worker, or too many have failed for good. */
@Injectable()
export class PipelineIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
    private readonly config: Config,
  ) {}

  check(): HealthIndicatorResult {
    const { pipelineLagSeconds, deadLetters: most } = this.config.healthLimits;
    const { lagSeconds = null, deadLetters = null } = this.readiness.told.pipeline ?? {};
    const data = { lag_seconds: lagSeconds, dead_letters: deadLetters };
    return verdict(this.indicators.check('pipeline'), data, [
      (lagSeconds ?? 0) > pipelineLagSeconds &&
        `The oldest due stage has waited ${Math.floor(lagSeconds ?? 0)} s: more than ${pipelineLagSeconds} s (PIPELINE_MAX_LAG_SECONDS)`,
      (deadLetters ?? 0) > most &&
        `${deadLetters} stages have failed for good: more than ${most} (PIPELINE_MAX_DEAD_LETTERS)`,
    ]);
  }
}
