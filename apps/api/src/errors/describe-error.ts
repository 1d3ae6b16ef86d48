import {
  ApplicationError,
  ExceedsMaker,
  IdempotencyInFlight,
  IdempotencyMismatch,
  PageTooDeep,
  PageTooLarge,
  type ApplicationFailureKind,
} from '@app/application';
import {
  AmbiguousSku,
  CurrencyMismatch,
  DeliveredTooEarly,
  DomainError,
  EmailTaken,
  ExternalReferenceTaken,
  ImportRefused,
  ItemsUnavailable,
  OutOfStock,
  PaymentsTooLarge,
  PriceChanged,
  PricesRefused,
  QuantityNotOffered,
  SettingsRefused,
  StaleSettings,
  StaleStatus,
  StockRefused,
  unofferedText,
  UnknownCustomer,
  UnitsWithoutBin,
  UnknownPriceList,
  UnknownPriceListOfCustomer,
  UrlNotAllowed,
  type FailureKind,
} from '@app/domain';
import { ITEM_FIELDS, STATUS_FIELDS } from '@app/representations';
import { HttpException, HttpStatus } from '@nestjs/common';
import { InvalidFields, type Fault } from './invalid-fields.js';
import { FASTIFY_FAULTS, RequestError } from './request-errors.js';

const STATUS: Readonly<Record<FailureKind, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  rejected: 422,
  conflict: 409,
};
const RETRY_IN_1_S = { 'retry-after': '1' };
const MAX_NAMED = 20;

/** What operators need to see. `none` is for a fault of the client, or a refusal that is counted elsewhere. */
export type Concern = 'none' | 'defect' | Exclude<ApplicationFailureKind, 'overloaded' | 'extension'>;

interface ErrorBody {
  readonly success: false;
  readonly error: string;
  readonly code: string;
  /** Lists up to 20 faults; absent when no field is at fault. */
  readonly faults?: readonly Fault[];
}

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly body: ErrorBody | { readonly error: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly concern: Concern;
}

/**
 * Never returns the text of an unexpected error.
 * @param namesOneThing whether the request reads one resource: an id that the database cannot read then does not exist.
 */
export function describeError(error: unknown, namesOneThing = false): ErrorAnswer {
  if (error instanceof RequestError) return answer(error.status, error.code, error.message, error.headers);
  if (error instanceof DomainError) {
    return answer(STATUS[error.kind], error.code, messageOf(error), headersOf(error), faultsOf(error));
  }
  if (error instanceof ApplicationError) return describeApplicationError(error, namesOneThing);
  const refusal = describeFrameworkError(error);
  // @protects answered-errors
  return refusal ?? { ...answer(500, 'internal_error', 'Internal server error'), concern: 'defect' };
}

function headersOf(error: DomainError): Readonly<Record<string, string>> {
  if (error instanceof ExternalReferenceTaken) return { 'x-existing-order': error.orderId };
  return error instanceof IdempotencyInFlight ? RETRY_IN_1_S : {};
}

function describeApplicationError({ kind, code, message }: ApplicationError, namesOneThing: boolean): ErrorAnswer {
  if (kind === 'overloaded') return answer(503, code, message, RETRY_IN_1_S);
  if (kind === 'extension') return { ...answer(503, code, message, RETRY_IN_1_S), concern: 'defect' };
  if (kind !== 'unusable_value') return unavailable(code, kind);
  const refusal = namesOneThing ? notFound() : answer(400, code, 'The request contains a value that cannot be used');
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
  return answer(status, name, textOf(error), {}, error instanceof InvalidFields ? error.faults : []);
}

function textOf(error: HttpException): string {
  const { message } = error.getResponse() as { message?: unknown };
  return Array.isArray(message) ? message.join('; ') : error.message;
}

function notFound(): ErrorAnswer {
  return answer(404, 'not_found', 'Not found');
}

function unavailable(code: string, concern: Concern): ErrorAnswer {
  return { ...answer(503, code, 'Service temporarily unavailable', RETRY_IN_1_S), concern };
}

function answer(
  status: number,
  code: string,
  message: string,
  more: Readonly<Record<string, string>> = {},
  faults: readonly Fault[] = [],
): ErrorAnswer {
  const headers = { 'x-error-code': code, ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}), ...more };
  const envelope = { success: false as const, error: message, code, ...(faults.length > 0 && { faults }) };
  const body = [401, 403].includes(status) ? { error: message } : envelope;
  return { status, code, body, headers, concern: 'none' };
}

/** Maps an error to the field of a request that it is about. */
const FIELD_AT_FAULT = new Map<unknown, string>([
  [CurrencyMismatch, 'currency'],
  [DeliveredTooEarly, 'at'],
  [EmailTaken, 'email'],
  [ExternalReferenceTaken, 'external_reference'],
  [PaymentsTooLarge, 'amount'],
  [PriceChanged, 'expected_total'],
  [UnknownCustomer, 'customer_id'],
  [UnknownPriceListOfCustomer, 'price_list'],
  [UnknownPriceList, 'list'],
  [UrlNotAllowed, 'url'],
]);

function faultsOf(error: DomainError): readonly Fault[] {
  if (isAboutLines(error)) return lineFaults(error);
  if (error instanceof AmbiguousSku) {
    const message = 'matches several products: send product_id and variant_id';
    return error.items
      .slice(0, MAX_NAMED)
      .map(({ list = 'items', line }) => ({ path: `${list}[${line}].sku`, message }));
  }
  if (error instanceof StaleSettings) return error.fields.map((path) => ({ path, message: 'is not as expected' }));
  if (hasFaults(error)) return error.faults.filter(({ path }) => path !== '');
  const path = FIELD_AT_FAULT.get(error.constructor);
  if (path === undefined) return [];
  const text = messageOf(error);
  return [{ path, message: text.startsWith(`${path} `) ? text.slice(path.length + 1) : text }];
}

type FaultsError = StockRefused | PricesRefused | ImportRefused | SettingsRefused;

function hasFaults(error: DomainError): error is FaultsError {
  return [StockRefused, PricesRefused, ImportRefused, SettingsRefused].some((each) => error instanceof each);
}

type LinesError = ItemsUnavailable | OutOfStock | QuantityNotOffered;

function isAboutLines(error: DomainError): error is LinesError {
  return [ItemsUnavailable, OutOfStock, QuantityNotOffered].some((each) => error instanceof each);
}

function lineFaults(error: LinesError): Fault[] {
  if (error instanceof QuantityNotOffered) {
    return error.items.slice(0, MAX_NAMED).map(({ list = 'items', line, requested, ...rule }) => ({
      path: `${list}[${line}].quantity`,
      message: unofferedText(requested, rule),
    }));
  }
  if (error instanceof ItemsUnavailable) {
    return error.items.slice(0, MAX_NAMED).map(({ list = 'items', line, what, id }) => ({
      path: `${list}[${line}].${ITEM_FIELDS[what]}`,
      message: `${id} is not available`,
    }));
  }
  return error.shortages.slice(0, MAX_NAMED).map(({ list = 'items', line, requested, available, lacksVariant }) => {
    const hint = lacksVariant ? ' without variant_id (the product has variants: send variant_id)' : '';
    return { path: `${list}[${line}]`, message: `requested ${requested}, available ${available}${hint}` };
  });
}

/** Describes the error with the names of the body's fields and of the headers. */
function messageOf(error: DomainError): string {
  if (error instanceof ItemsUnavailable)
    return lineFaults(error)
      .map(({ path, message }) => `${path} ${message}`)
      .join('; ');
  if (error instanceof AmbiguousSku) {
    const items = error.items.slice(0, MAX_NAMED).map(({ list = 'items', line, sku }) => `${list}[${line}].sku ${sku}`);
    return `A SKU matches several products: send product_id and variant_id instead of ${items.join(', ')}`;
  }
  if (error instanceof OutOfStock || error instanceof QuantityNotOffered)
    return lineFaults(error)
      .map(({ path, message }) => `${path}: ${message}`)
      .join('; ');
  if (error instanceof UnknownCustomer) return 'customer_id is not the id of a customer of the store';
  if (error instanceof PageTooLarge) return `The rows of this page are too large: request limit=${error.rows} or less`;
  if (error instanceof PageTooDeep) {
    if (error.continueWith === 'cursor')
      return `A page can skip at most ${error.most} rows: continue with the cursor of the previous page and page=1`;
    return (
      `A page by updated_at can skip at most ${error.most} rows: send page=1 with sort=updated_at and the updated_at of ` +
      'the last row as updated_from, or read GET /v1/changes'
    );
  }
  if (error instanceof ExternalReferenceTaken) return 'Another order has this external_reference';
  if (error instanceof IdempotencyInFlight) return 'A request with this Idempotency-Key is still being processed';
  if (error instanceof IdempotencyMismatch) return 'This Idempotency-Key was used with a different request';
  if (error instanceof DeliveredTooEarly) return `at must not be before shipped_at ${error.shippedAt.toISOString()}`;
  if (error instanceof ExceedsMaker) return error.message.replace(/^the end\b/, 'expires_at');
  if (error instanceof StaleStatus) return error.message.replace(error.field, STATUS_FIELDS[error.field]);
  if (error instanceof UnitsWithoutBin)
    return `${error.message}: send restock_to, or record the goods with POST /v1/stock`;
  return error.message;
}
