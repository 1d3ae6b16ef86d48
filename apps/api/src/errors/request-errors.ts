import { applicationErrors, type AuthenticationFailure } from '@app/application';
import { domainErrors, type ScopeWord } from '@app/domain';
import type { IncomingMessage } from 'node:http';

/** Messages by Fastify's error code. The status is always 400. */
export const FASTIFY_FAULTS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_EMPTY_TYPE: 'Content-Type must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the request body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'Request body is not valid JSON',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json',
  FST_ERR_CTP_INVALID_TYPE: 'Content-Type must be application/json',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'Content-Type must be application/json',
};

/** Messages for bytes that are not a request, by Node's error code or our own. */
const SOCKET_FAULTS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
  HPE_HEADER_OVERFLOW: 'The request headers are too large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too large',
  HPE_INVALID_METHOD: 'The request does not begin with a known HTTP method',
  HPE_INVALID_VERSION: 'The request line must end with a supported HTTP version and CRLF',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be one number, without Transfer-Encoding',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length must be one number, without Transfer-Encoding',
  HPE_INVALID_TRANSFER_ENCODING: 'Transfer-Encoding must be chunked, without Content-Length',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not supported',
  BYTE_ORDER_MARKS: 'Request body is not valid JSON',
};

export abstract class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

const REFUSED_KEYS: Readonly<Record<AuthenticationFailure, [401 | 403, string, string]>> = {
  missing: [401, 'unauthorized', 'Missing or invalid Authorization header'],
  unknown: [401, 'unauthorized', 'Invalid API key'],
  inactive: [403, 'api_key_inactive', 'API key is revoked, deactivated or expired'],
  store_inactive: [403, 'store_inactive', 'Store is inactive'],
  address_not_allowed: [403, 'address_not_allowed', 'API key may not be used from this address'],
  foreign_origin: [403, 'foreign_origin', 'The session cannot be used from a page of another site'],
  stale_sign_in: [403, 'stale_sign_in', 'The last sign-in is more than an hour ago: sign in again'],
};

/** The message for a person whose session is refused. People have no key. */
const SESSION_ENDED = 'Session has ended: sign in again';

/** The values of `X-Error-Code`. A code keeps its meaning under `/v1`; docs/api/errors.md explains each. */
export const ERROR_CODES: ReadonlySet<string> = new Set([
  ...Object.values({ ...domainErrors, ...applicationErrors }).flatMap((error) => ('code' in error ? error.code : [])),
  ...Object.values(REFUSED_KEYS).map(([, code]) => code),
  'insufficient_scope',
  'throttled',
  'internal_error',
]);

export class AuthenticationError extends RequestError {
  /** @param isSession whether the text is for a person. */
  constructor(refusal: AuthenticationFailure | { readonly lacks: readonly ScopeWord[] }, isSession = false) {
    if (typeof refusal !== 'string') {
      const who = isSession ? 'Your role' : 'API key';
      super(403, 'insufficient_scope', `${who} lacks the scope ${refusal.lacks.join(' or ')}`);
      return;
    }
    const [status, code, text] = REFUSED_KEYS[refusal];
    super(status, code, isSession && (refusal === 'unknown' || refusal === 'inactive') ? SESSION_ENDED : text);
  }
}

const TOO_MANY = {
  'of key': 'Too many requests from this API key: slow down',
  'of store': 'Too many requests from the API keys of this store: slow down',
  'of network': 'Too many requests from this network: slow down',
  codes: 'Too many sign-in codes were requested for this email address or from this network: try again later',
};

export class TooManyRequests extends RequestError {
  /** @param limit the limit that is reached. */
  constructor(retryAfterSeconds: number, limit: keyof typeof TOO_MANY) {
    super(429, 'throttled', TOO_MANY[limit], { 'retry-after': String(retryAfterSeconds) });
  }
}

/**
 * The bytes are not a valid HTTP request, or another server may read them differently. The service closes the
 * connection.
 */
export class MalformedRequest extends RequestError {
  constructor(nodeCode: string) {
    super(400, 'invalid_request', SOCKET_FAULTS[nodeCode] ?? 'The request is malformed');
  }
}

/** The client closed the connection before its request had arrived. Nothing reads the answer. */
export class ClientGone extends RequestError {
  constructor() {
    super(400, 'invalid_request', 'The request did not arrive in full');
  }
}

/**
 * Returns `ClientGone` for an error of the request's own stream, otherwise the error. Their code does not tell
 * them apart: a lost connection to the database is also an ECONNRESET.
 */
export function failureOf(error: unknown, { errored }: IncomingMessage): unknown {
  return error != null && error === errored ? new ClientGone() : error;
}
