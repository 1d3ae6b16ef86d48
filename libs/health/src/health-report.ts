import { VERSION } from '@app/infrastructure';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { DatabaseIndicator } from './indicators/database.indicator.js';
import { FeedIndicator } from './indicators/feed.indicator.js';
import { PipelineIndicator } from './indicators/pipeline.indicator.js';
import { ReplicasIndicator } from './indicators/replicas.indicator.js';
import { SchemaIndicator } from './indicators/schema.indicator.js';
import { ServingIndicator } from './indicators/serving.indicator.js';
import { WalIndicator } from './indicators/wal.indicator.js';

type Check = () => HealthIndicatorResult;

/** The answer to a probe. */
export interface Health {
  readonly status: 200 | 503;
  readonly body: HealthCheckResult;
}

/** What every port of a process answers to probes. Reads what the background check found: it asks nobody. */
@Injectable()
export class HealthReport {
  private readonly readiness: Check[];
  private readonly all: Check[];

  constructor(
    private readonly health: HealthCheckService,
    indicators: HealthIndicatorService,
    database: DatabaseIndicator,
    schema: SchemaIndicator,
    serving: ServingIndicator,
    pipeline: PipelineIndicator,
    feed: FeedIndicator,
    replicas: ReplicasIndicator,
    wal: WalIndicator,
  ) {
    const version = { check: () => indicators.check('version').up({ version: VERSION }) };
    const checks = (parts: readonly { check: Check }[]) => parts.map((part) => () => part.check());
    this.readiness = checks([database, schema, serving]);
    this.all = [...this.readiness, ...checks([pipeline, feed, replicas, wal, version])];
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
