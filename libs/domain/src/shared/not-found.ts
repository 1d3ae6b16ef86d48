import { DomainError } from './domain-error.js';

/** Something asked for by id, slug or name that the store does not have. */
export class NotFound extends DomainError {
  readonly kind = 'not_found';

  /** @param what for example `Product`. */
  constructor(what: string) {
    super(`${what} not found`);
  }
}
