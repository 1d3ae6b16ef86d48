import { ApplicationError } from './application-error.js';

/**
 * The database lacks a table or column of this release: it is not migrated yet. Clients see an outage, and a retry
 * before the migration is pointless.
 */
export class SchemaMismatch extends ApplicationError {
  readonly kind = 'unavailable';
  /** The code of `Unavailable`: clients handle both alike. */
  readonly code = 'unavailable';

  constructor(options?: ErrorOptions) {
    super('The database lacks a table or column of this release', options);
  }
}
