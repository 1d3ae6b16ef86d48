import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult, type HealthIndicatorResult } from '@nestjs/terminus';
import { Indicators } from './indicators.js';

type Check = () => HealthIndicatorResult | Promise<HealthIndicatorResult>;

/** The answer to a probe. */
export interface Health {
  readonly status: 200 | 503;
  readonly body: HealthCheckResult;
}

/** What every port of a process answers to probes. */
@Injectable()
export class HealthReport {
  private readonly readiness: Check[];
  private readonly all: Check[];

  constructor(
    private readonly health: HealthCheckService,
    of: Indicators,
  ) {
    this.readiness = [() => of.database(), () => of.schema(), () => of.serving()];
    this.all = [...this.readiness, () => of.installation(), () => of.version()];
  }

  /** Whether this process can serve. Without what other processes do: a late pipeline is no reason to send fewer orders. */
  ready(): Promise<Health> {
    return this.answer(this.readiness);
  }

  /** The health of the installation, as this process sees it. */
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
