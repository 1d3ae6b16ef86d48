import { ApplicationError } from './application-error.js';

/** A concurrency limit is reached. The work has not begun. */
export class Overloaded extends ApplicationError {
  readonly kind = 'overloaded';
  readonly code = 'overloaded';

  constructor() {
    super('Too many requests at a time: try again shortly');
  }
}
