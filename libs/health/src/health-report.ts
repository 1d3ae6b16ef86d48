import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult, type HealthIndicatorResult } from '@nestjs/terminus';
import { Indicators } from './indicators.js';

type Check = () => HealthIndicatorResult | Promise<HealthIndicatorResult>;

export interface Health {
  readonly status: 200 | 503;
  readonly body: HealthCheckResult;
}

@Injectable()
export class HealthReport {
  private readonly readiness: Check[];
  private readonly all: Check[];

  constructor(
    private readonly health: HealthCheckService,
    indicators: Indicators,
  ) {
    this.readiness = [() => indicators.database(), () => indicators.schema(), () => indicators.serving()];
    this.all = [...this.readiness, () => indicators.installation(), () => indicators.version()];
  }

  /** Ignores the pipeline: a late pipeline is no reason to send a process fewer orders. */
  ready(): Promise<Health> {
    return this.answer(this.readiness);
  }

  detail(): Promise<Health> {
    return this.answer(this.all);
  }

  private async answer(checks: Check[]): Promise<Health> {
    try {
      return { status: 200, body: await this.health.check(checks) };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      return { status: 503, body: error.getResponse() as HealthCheckResult };
    }
  }
}
