import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from '../readiness.js';

/** Down while the process prepares to serve, and from the beginning of its shutdown. */
@Injectable()
export class ServingIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  check(): HealthIndicatorResult {
    const indicator = this.indicators.check('serving');
    return this.readiness.serving ? indicator.up() : indicator.down();
  }
}
