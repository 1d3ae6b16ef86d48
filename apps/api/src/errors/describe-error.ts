import { CommitOutcomeUnknown, IdempotencyInFlight } from '@app/application';
import { DomainError, type FailureKind } from '@app/domain';
import { isBadInput, isConnectionLost, isRetryable, isTimeout } from '@app/infrastructure';
import { HttpException } from '@nestjs/common';
import { AuthenticationError } from './authentication-error.js';
import { TooManyRequests } from './too-many-requests.js';
import { ClientGone } from './client-gone.js';
import { Overloaded } from './overloaded.js';
import { FASTIFY_FAULTS, MalformedRequest } from './request-faults.js';

const STATUS: Record<FailureKind, number> = { invalid: 400, not_found: 404, rejected: 422, conflict: 409 };
const DOCUMENTED = new Set([400, 401, 403, 404, 409, 422, 429]);
const SOON = { 'retry-after': '1' };

/** What the operators should hear of a failure. */
export type Concern =
  | 'none' // the client's own fault, or how things are
  | 'unexpected input' // the database refused what validation should have
  | 'unavailable'
  | 'defect';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly success: false; readonly error: string } | { readonly error: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly concern: Concern;
}

/**
 * What a client is told of a failure: the one mapping for Nest, Fastify and raw sockets. It never repeats what an
 * unexpected error says.
 *
 * @param namesOneThing whether the request's path has an id, which cannot exist if the database cannot read it.
 */
export function describeError(error: unknown, namesOneThing = false): ErrorAnswer {
  if (error instanceof AuthenticationError) {
    const headers: Record<string, string> = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    return { status: error.status, body: { error: error.message }, headers, concern: 'none' };
  }
  if (error instanceof DomainError) {
    return answer(STATUS[error.kind], error.message, error instanceof IdempotencyInFlight ? SOON : {});
  }
  if (error instanceof TooManyRequests) {
    return answer(429, error.message, { 'retry-after': String(error.retryAfterSeconds) });
  }
  if (error instanceof Overloaded) return answer(503, error.message, SOON);
  if (error instanceof MalformedRequest || error instanceof ClientGone) return answer(400, error.message);
  return describeFrameworkError(error) ?? describeUnexpected(error, namesOneThing);
}

/** Fastify's refusals, as they are or wrapped by Nest, and Nest's own. */
function describeFrameworkError(error: unknown): ErrorAnswer | null {
  const refusal = error instanceof HttpException ? (error.cause ?? error) : error;
  const { code = '', statusCode } = (refusal ?? {}) as { code?: string; statusCode?: number };
  if (code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return answer(400, FASTIFY_FAULTS[code] ?? 'The request is malformed');
  }
  if (!(error instanceof HttpException)) return null;
  const status = error.getStatus();
  if (status === 503) return unavailable();
  if (status >= 500) return null;
  // Nest's router would repeat method and path.
  if (status === 404) return answer(404, 'Not found');
  return answer(DOCUMENTED.has(status) ? status : 400, error.message);
}

function describeUnexpected(error: unknown, namesOneThing: boolean): ErrorAnswer {
  if (error instanceof CommitOutcomeUnknown || isConnectionLost(error) || isTimeout(error) || isRetryable(error)) {
    return unavailable();
  }
  if (isBadInput(error)) {
    const told = namesOneThing ? answer(404, 'Not found') : answer(400, 'The request has a value that cannot be used');
    return { ...told, concern: 'unexpected input' };
  }
  return { ...answer(500, 'Internal server error'), concern: 'defect' };
}

function unavailable(): ErrorAnswer {
  return { ...answer(503, 'Service temporarily unavailable', SOON), concern: 'unavailable' };
}

function answer(status: number, message: string, headers: Readonly<Record<string, string>> = {}): ErrorAnswer {
  return { status, body: { success: false, error: message }, headers, concern: 'none' };
}
