import { ApplicationError } from './application-error.js';

/** The connection was lost during COMMIT: the transaction may or may not have taken effect. */
export class CommitOutcomeUnknown extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'outcome_unknown';

  constructor(cause: unknown) {
    super('The outcome of the commit is unknown', { cause });
  }
}
