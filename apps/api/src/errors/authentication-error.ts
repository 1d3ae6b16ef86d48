import type { AuthenticationFailure } from '@app/application';
import type { WriteScope } from '@app/domain';
import type { ErrorCode } from './error-codes.js';

/** Why a key is refused. A key that lacks a scope is valid, but must not use the route. */
type Refusal = AuthenticationFailure | { readonly lacks: WriteScope };

interface Answer {
  readonly status: 401 | 403;
  readonly code: ErrorCode;
  readonly message: string;
}

const ANSWERS: Readonly<Record<AuthenticationFailure, Answer>> = {
  missing: { status: 401, code: 'unauthorized', message: 'Missing or invalid Authorization header' },
  unknown: { status: 401, code: 'unauthorized', message: 'Invalid API key' },
  inactive: { status: 403, code: 'api_key_inactive', message: 'API key is deactivated or expired' },
  store_inactive: { status: 403, code: 'store_inactive', message: 'Store is inactive' },
  address_not_allowed: {
    status: 403,
    code: 'address_not_allowed',
    message: 'API key may not be used from this address',
  },
};

function outOfScope(scope: WriteScope): Answer {
  return { status: 403, code: 'insufficient_scope', message: `API key lacks the scope ${scope}` };
}

/** The request has no API key that permits it. The body of the answer is `{ error }` without `success`. */
export class AuthenticationError extends Error {
  readonly status: 401 | 403;
  readonly code: ErrorCode;

  constructor(refusal: Refusal) {
    const { status, code, message } = typeof refusal === 'string' ? ANSWERS[refusal] : outOfScope(refusal.lacks);
    super(message);
    this.status = status;
    this.code = code;
  }
}
