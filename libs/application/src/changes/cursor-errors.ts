import { DomainError } from '@app/domain';

/** The cursor is older than the deletions that the feed still has. */
export class CursorExpired extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'cursor_expired';

  constructor() {
    super('The cursor has expired: deletions after it are no longer known. Read everything again, without a cursor');
  }
}

/** The cursor is none of this store, mode and these kinds. */
export class CursorInvalid extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'cursor_invalid';

  constructor() {
    super('The cursor is not one of this store, mode and these kinds');
  }
}
