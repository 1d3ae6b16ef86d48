import type { AuthenticationFailure } from '@app/application';
import type { ErrorCode } from './error-codes.js';

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
};

/** The request has no usable API key. The body of the answer is `{ error }` without `success`. */
export class AuthenticationError extends Error {
  readonly status: 401 | 403;
  readonly code: ErrorCode;

  constructor(failure: AuthenticationFailure) {
    const { status, code, message } = ANSWERS[failure];
    super(message);
    this.status = status;
    this.code = code;
  }
}
