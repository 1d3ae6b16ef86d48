import { type Health, HealthReport } from '@app/health';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../route-access.js';

/** Serves load balancers and people. `/health/live` is not a Nest route: it must answer when Nest cannot. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly report: HealthReport) {}

  @Public()
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health['body']> {
    return send(reply, await this.report.ready());
  }

  @Public()
  @Get()
  async detail(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health['body']> {
    return send(reply, await this.report.detail());
  }
}

/** The body with 503 is the same as with 200, not the error envelope, because it names the failing checks. */
function send(reply: FastifyReply, { status, body }: Health): Health['body'] {
  void reply.status(status).header('cache-control', 'no-store');
  if (status !== 200) void reply.header('x-error-code', 'unavailable');
  return body;
}
