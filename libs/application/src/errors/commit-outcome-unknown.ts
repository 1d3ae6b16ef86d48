import { ApplicationError } from './application-error.js';

/**
 * The connection was lost during COMMIT, or the server stopped waiting for its standbys: the transaction may have taken
 * effect, or may yet be lost at a fail-over.
 */
export class CommitOutcomeUnknown extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'outcome_unknown';

  constructor(cause: unknown) {
    super('The outcome of the commit is unknown', { cause });
  }
}
