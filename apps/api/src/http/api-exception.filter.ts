import { DomainError } from '@app/domain';
import { BadRequestException, Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyLimitsOf } from '../body/body-limits.js';
import { ClientGone, MalformedRequest, failureOf } from '../errors/request-errors.js';
import { describeError } from '../errors/describe-error.js';
import { FailureCounts, FailureReports } from '../errors/failure-reports.js';

@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  constructor(
    private readonly reports: FailureReports,
    private readonly counts: FailureCounts,
  ) {}

  catch(caught: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = withBodyLimit(failureOf(caught, request.raw), request);
    const { status, code, body, headers, concern } = describeError(error, readsById(request));
    this.reports.report(error, concern, request.id);
    if (isOrderRequest(request) && !(error instanceof ClientGone)) this.counts.countRefusedOrder(code);
    if (error instanceof DomainError) request.noteRead(error.readBytes);
    if (reply.sent) return;
    if (error instanceof MalformedRequest) reply.raw.shouldKeepAlive = false;
    // Fastify closes the connection by default after it refuses a body, so a client that is still sending would lose
    // the answer. This filter keeps the connection open, and the server discards the rest of the body.
    if (reply.raw.shouldKeepAlive) reply.removeHeader('connection');
    else reply.header('connection', 'close');
    void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
  }
}

/** Replaces Fastify's error for a body that is too large by one that contains the limit. */
function withBodyLimit(error: unknown, request: FastifyRequest): unknown {
  const cause = error instanceof HttpException ? error.cause : error;
  const isTooLarge = (cause as { code?: string } | null | undefined)?.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
  return isTooLarge ? new BadRequestException(`Request body exceeds ${bodyLimitsOf(request).size}`) : error;
}

function isOrderRequest({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && routeOptions.url === '/v1/orders';
}

// Excludes writes: they check the ids of their paths first, so a value that the database rejects is not the id.
function readsById({ method, params }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && Object.keys(params ?? {}).length > 0;
}
