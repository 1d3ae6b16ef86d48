import { Controller, Get, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { VERSION } from '@app/infrastructure';
import type { FastifyReply } from 'fastify';
import { Readiness } from './readiness.js';

type Check = Parameters<HealthCheckService['check']>[0][number];

/** For load balancers and people. `/health/live` is not a Nest route: it must answer when Nest cannot. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  @Get('ready')
  ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthCheckResult> {
    return this.report(reply, []);
  }

  @Get()
  detail(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthCheckResult> {
    return this.report(reply, [() => this.pipeline(), () => this.indicators.check('version').up({ version: VERSION })]);
  }

  private async report(reply: FastifyReply, more: Check[]): Promise<HealthCheckResult> {
    const { databaseAnswers, schemaCurrent, draining } = this.readiness;
    void reply.header('cache-control', 'no-store');
    try {
      return await this.health.check([
        () => this.is('database', databaseAnswers),
        () => this.is('schema', schemaCurrent),
        () => this.is('serving', !draining),
        ...more,
      ]);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      // The same body as in a 200, not the error envelope: it names the failing check.
      void reply.status(503).header('x-error-code', 'unavailable');
      return error.getResponse() as HealthCheckResult;
    }
  }

  private pipeline(): HealthIndicatorResult {
    const { lagSeconds = null, deadLetters = null } = this.readiness.pipeline ?? {};
    return this.indicators.check('pipeline').up({ lag_seconds: lagSeconds, dead_letters: deadLetters });
  }

  private is(name: string, up: boolean): HealthIndicatorResult | Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(name);
    return up ? indicator.up() : indicator.down();
  }
}
