import { ApplicationError } from './application-error.js';

/** The work did not finish in time. */
export class DeadlineExceeded extends ApplicationError {
  readonly kind = 'late';
  readonly code = 'deadline_exceeded';

  constructor(options?: ErrorOptions) {
    super('The work did not finish in time', options);
  }
}
