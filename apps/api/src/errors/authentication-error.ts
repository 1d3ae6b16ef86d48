import type { AuthenticationFailure } from '@app/application';
import type { ErrorCode } from './error-codes.js';

/** Why a key is refused. A key of insufficient scope is valid, but must not write. */
type Refusal = AuthenticationFailure | 'insufficient_scope';

interface Answer {
  readonly status: 401 | 403;
  readonly code: ErrorCode;
  readonly message: string;
}

const ANSWERS: Readonly<Record<Refusal, Answer>> = {
  missing: { status: 401, code: 'unauthorized', message: 'Missing or invalid Authorization header' },
  unknown: { status: 401, code: 'unauthorized', message: 'Invalid API key' },
  inactive: { status: 403, code: 'api_key_inactive', message: 'API key is deactivated or expired' },
  store_inactive: { status: 403, code: 'store_inactive', message: 'Store is inactive' },
  address_not_allowed: {
    status: 403,
    code: 'address_not_allowed',
    message: 'API key may not be used from this address',
  },
  insufficient_scope: { status: 403, code: 'insufficient_scope', message: 'API key is read-only' },
};

/** The request has no API key that permits it. The body of the answer is `{ error }` without `success`. */
export class AuthenticationError extends Error {
  readonly status: 401 | 403;
  readonly code: ErrorCode;

  constructor(refusal: Refusal) {
    const { status, code, message } = ANSWERS[refusal];
    super(message);
    this.status = status;
    this.code = code;
  }
}
