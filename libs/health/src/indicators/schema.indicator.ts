import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { Readiness } from '../readiness.js';

/** Down until the migrations of this release have run. */
@Injectable()
export class SchemaIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  check(): HealthIndicatorResult {
    const indicator = this.indicators.check('schema');
    return this.readiness.schemaCurrent ? indicator.up() : indicator.down();
  }
}
