import { ApplicationError } from './application-error.js';

/** The database cannot be reached, has no room, or gave up a transaction in favour of others. */
export class Unavailable extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'unavailable';

  constructor(options?: ErrorOptions) {
    super('The database is unavailable', options);
  }
}
