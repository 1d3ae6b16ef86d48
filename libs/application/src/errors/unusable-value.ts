import { ApplicationError } from './application-error.js';

/** The database refused a value that validation should have refused. */
export class UnusableValue extends ApplicationError {
  readonly kind = 'unusable_value';
  readonly code = 'invalid_request';

  constructor(options?: ErrorOptions) {
    super('The database refused a value', options);
  }
}
