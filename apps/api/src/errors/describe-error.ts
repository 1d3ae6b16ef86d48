import {
  ApplicationError,
  ExceedsMaker,
  IdempotencyInFlight,
  IdempotencyMismatch,
  type ApplicationFailureKind,
} from '@app/application';
import {
  AmbiguousSku,
  DeliveredTooEarly,
  DomainError,
  ExternalReferenceTaken,
  ItemsUnavailable,
  OutOfStock,
  StaleStatus,
  UnitsWithoutBin,
  type FailureKind,
} from '@app/domain';
import { ITEM_FIELDS, STATUS_FIELDS } from '@app/representations';
import { HttpException, HttpStatus } from '@nestjs/common';
import { FASTIFY_FAULTS, RequestError } from './request-errors.js';

const STATUS: Readonly<Record<FailureKind, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  rejected: 422,
  conflict: 409,
};
const SOON = { 'retry-after': '1' };
const MAX_NAMED = 20;

/** What operators need to see. `none`: a fault of the client, or a refusal that is counted elsewhere. */
export type Concern = 'none' | 'defect' | Exclude<ApplicationFailureKind, 'overloaded' | 'extension'>;

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly body: { readonly success: false; readonly error: string } | { readonly error: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly concern: Concern;
}

/**
 * Never has the text of an unexpected error.
 * @param namesOneThing whether the request reads one resource: an id that the database cannot read does not exist.
 */
export function describeError(error: unknown, namesOneThing = false): ErrorAnswer {
  if (error instanceof RequestError) return answer(error.status, error.code, error.message, error.headers);
  if (error instanceof DomainError) return answer(STATUS[error.kind], error.code, messageOf(error), headersOf(error));
  if (error instanceof ApplicationError) return describeApplicationError(error, namesOneThing);
  const refusal = describeFrameworkError(error);
  // @protects answered-errors
  return refusal ?? { ...answer(500, 'internal_error', 'Internal server error'), concern: 'defect' };
}

function headersOf(error: DomainError): Readonly<Record<string, string>> {
  if (error instanceof ExternalReferenceTaken) return { 'x-existing-order': error.orderId };
  return error instanceof IdempotencyInFlight ? SOON : {};
}

function describeApplicationError({ kind, code, message }: ApplicationError, namesOneThing: boolean): ErrorAnswer {
  if (kind === 'overloaded') return answer(503, code, message, SOON);
  if (kind === 'extension') return { ...answer(503, code, message, SOON), concern: 'defect' };
  if (kind !== 'unusable_value') return unavailable(code, kind);
  const refusal = namesOneThing ? notFound() : answer(400, code, 'The request has a value that cannot be used');
  return { ...refusal, concern: kind };
}

function describeFrameworkError(error: unknown): ErrorAnswer | null {
  const refusal = error instanceof HttpException ? (error.cause ?? error) : error;
  const { code = '', statusCode } = (refusal ?? {}) as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_HANDLER_TIMEOUT') return unavailable('deadline_exceeded', 'late');
  if (code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return answer(400, 'invalid_request', FASTIFY_FAULTS[code] ?? 'The request is malformed');
  }
  if (!(error instanceof HttpException)) return null;
  const status = error.getStatus();
  if (status === 503) return unavailable('unavailable', 'unavailable');
  if (status >= 500) return null;
  // The text of Nest's router repeats the method and the path.
  if (status === 404 && /^Cannot [A-Z]+ \//.test(error.message)) return notFound();
  const name = status === 400 ? 'invalid_request' : (HttpStatus[status]?.toLowerCase() ?? 'refused');
  return answer(status, name, textOf(error));
}

function textOf(error: HttpException): string {
  const { message } = error.getResponse() as { message?: unknown };
  return Array.isArray(message) ? message.join('; ') : error.message;
}

function notFound(): ErrorAnswer {
  return answer(404, 'not_found', 'Not found');
}

function unavailable(code: string, concern: Concern): ErrorAnswer {
  return { ...answer(503, code, 'Service temporarily unavailable', SOON), concern };
}

function answer(
  status: number,
  code: string,
  message: string,
  more: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  const headers = { 'x-error-code': code, ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}), ...more };
  const body = [401, 403].includes(status) ? { error: message } : { success: false as const, error: message };
  return { status, code, body, headers, concern: 'none' };
}

/** In the names of the body's fields and of the headers. */
function messageOf(error: DomainError): string {
  if (error instanceof ItemsUnavailable) {
    const items = error.items.slice(0, MAX_NAMED);
    return items
      .map(({ list = 'items', line, what, id }) => `${list}[${line}].${ITEM_FIELDS[what]} ${id} is not available`)
      .join('; ');
  }
  if (error instanceof AmbiguousSku) {
    const items = error.items.slice(0, MAX_NAMED).map(({ list = 'items', line, sku }) => `${list}[${line}].sku ${sku}`);
    return `Several products have this SKU, name product_id and variant_id: ${items.join('; ')}`;
  }
  if (error instanceof OutOfStock) {
    const shortages = error.shortages
      .slice(0, MAX_NAMED)
      .map(({ list = 'items', line, requested, available, lacksVariant }) => {
        const hint = lacksVariant ? ' without variant_id (the product has variants)' : '';
        return `${list}[${line}]: requested ${requested}, available ${available}${hint}`;
      });
    return shortages.join('; ');
  }
  if (error instanceof ExternalReferenceTaken) return 'Another order has this external_reference';
  if (error instanceof IdempotencyInFlight) return 'A request with this Idempotency-Key is still being processed';
  if (error instanceof IdempotencyMismatch) return 'This Idempotency-Key was used with a different request';
  if (error instanceof DeliveredTooEarly) return `at must not be before shipped_at ${error.shippedAt.toISOString()}`;
  if (error instanceof ExceedsMaker) return error.message.replace(/^the end\b/, 'expires_at');
  if (error instanceof StaleStatus) return error.message.replace(error.field, STATUS_FIELDS[error.field]);
  if (error instanceof UnitsWithoutBin)
    return `${error.message}: name restock_to, or record the goods with POST /v1/stock`;
  return error.message;
}
