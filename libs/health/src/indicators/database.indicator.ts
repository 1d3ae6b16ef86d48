import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from '../readiness.js';

/** Down after three background checks without an answer. */
@Injectable()
export class DatabaseIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  check(): HealthIndicatorResult {
    const indicator = this.indicators.check('database');
    return this.readiness.databaseAnswers ? indicator.up() : indicator.down();
  }
}
