import { domainError } from '@app/domain';

export const IdempotencyInFlight = domainError(
  'conflict',
  'idempotency_in_flight',
  'A request with this key is still being processed',
);
export const IdempotencyMismatch = domainError(
  'rejected',
  'idempotency_mismatch',
  'This key was used with a different request',
);
/** The rows of a page are too large in total. */
export class PageTooLarge extends domainError('rejected', 'page_too_large', 'The rows of this page are too large') {
  /** @param rows a page size that is probably small enough. @param readBytes the bytes read for this page. */
  constructor(
    readonly rows: number,
    override readonly readBytes = 0,
  ) {
    super();
  }
}
/** A page sorted by time of the last change, or a page of the journal, would skip too many rows. */
export class PageTooDeep extends domainError('invalid', 'page_too_deep', 'The page skips too many rows') {
  /**
   * @param most the number of rows that a page may skip.
   * @param continueWith how a client can read the rows beyond them.
   */
  constructor(
    readonly most: number,
    readonly continueWith: 'updatedAt' | 'cursor',
  ) {
    super();
  }
}
