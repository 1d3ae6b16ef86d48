import type { AuthenticationFailure } from '@app/application';

const ANSWERS: Record<AuthenticationFailure, { status: 401 | 403; message: string }> = {
  missing: { status: 401, message: 'Missing or invalid Authorization header' },
  unknown: { status: 401, message: 'Invalid API key' },
  inactive: { status: 403, message: 'API key is deactivated or expired' },
  store_inactive: { status: 403, message: 'Store is inactive' },
};

/** A request without a usable API key. The body is `{ error }`, without `success`. */
export class AuthenticationError extends Error {
  readonly status: 401 | 403;

  constructor(failure: AuthenticationFailure) {
    super(ANSWERS[failure].message);
    this.status = ANSWERS[failure].status;
  }
}
