import { ApplicationError } from './application-error.js';

/** The database is unreachable or full, or cancelled a transaction in favour of others. */
export class Unavailable extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'unavailable';

  constructor(options?: ErrorOptions) {
    super('The database is unavailable', options);
  }
}
