import { DomainError } from '../shared/domain-error.js';

/** A line of an atomic request is refused: no line changes anything. */
export class StockRefused extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'stock_refused';

  /** @param refusals one text for each refused line. */
  constructor(refusals: readonly string[]) {
    super(`Nothing changes: ${refusals.join('; ')}`);
  }
}

/** Another request of the store has the reference. */
export class ReferenceTaken extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'reference_taken';

  constructor() {
    super('The store has another change of stock with this reference');
  }
}
