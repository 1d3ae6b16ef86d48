import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientGone, failureOf } from './client-gone.js';
import { describeError } from './describe-error.js';
import { FailureReports } from './failure-reports.js';

/** Turns every failure, of hooks and handlers alike, into the API's error body. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  constructor(private readonly reports: FailureReports) {}

  catch(caught: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = failureOf(caught, request.raw);
    const { status, body, headers, concern } = describeError(error, hasId(request));
    this.reports.report(error, concern, request.id);
    if (asksForAnOrder(request) && !(error instanceof ClientGone)) this.reports.countRefusal(error, status);
    if (reply.sent) return;
    // Fastify hangs up on a client whose body it refuses, and a client that is still sending then loses the answer.
    // What is left of the body is read and dropped instead, for as long as a request may take to arrive.
    if (reply.raw.shouldKeepAlive) reply.removeHeader('connection');
    else reply.header('connection', 'close');
    // The handler may have said what type its own answer was going to have.
    void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
  }
}

function asksForAnOrder({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && routeOptions.url === '/v1/orders';
}

function hasId({ params }: FastifyRequest): boolean {
  return Object.keys(params ?? {}).length > 0;
}
