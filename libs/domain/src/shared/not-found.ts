import { DomainError } from './domain-error.js';

/** The store has no resource with the requested id, slug or name. */
export class NotFound extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'not_found';

  /** @param what the type of the resource, such as `Product`. */
  constructor(what: string) {
    super(`${what} not found`);
  }
}
