import { IdempotencyInFlight } from '@app/application';
import { DomainError, type FailureKind } from '@app/domain';
import { HttpException } from '@nestjs/common';
import { AuthenticationError } from '../auth/authentication-error.js';

const STATUS: Record<FailureKind, number> = { invalid: 400, not_found: 404, rejected: 422, conflict: 409 };

export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly success: false; readonly error: string } | { readonly error: string };
  readonly headers: Record<string, string>;
}

/** What a client is told of a failure: the one mapping for Nest, Fastify and raw sockets. */
export function describeError(error: unknown): ErrorAnswer {
  if (error instanceof AuthenticationError) {
    const headers: Record<string, string> = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    return { status: error.status, body: { error: error.message }, headers };
  }
  if (error instanceof DomainError) {
    const headers: Record<string, string> = error instanceof IdempotencyInFlight ? { 'retry-after': '1' } : {};
    return answer(STATUS[error.kind], error.message, headers);
  }
  if (error instanceof HttpException && error.getStatus() < 500) return answer(error.getStatus(), error.message);
  return answer(500, 'Internal server error');
}

function answer(status: number, message: string, headers: Record<string, string> = {}): ErrorAnswer {
  return { status, body: { success: false, error: message }, headers };
}
