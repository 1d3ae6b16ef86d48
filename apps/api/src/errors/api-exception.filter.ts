import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { describeError } from './describe-error.js';

/** Turns every failure of a handler into the API's error body. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const { status, body, headers } = describeError(error);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(status).headers(headers).send(body);
  }
}
