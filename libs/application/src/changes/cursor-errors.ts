import { DomainError } from '@app/domain';

/** Deletions after the cursor are no longer kept. */
export class CursorExpired extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'cursor_expired';

  constructor() {
    super('The cursor has expired. Start again without a cursor');
  }
}

/** The cursor is none of this store, mode and these kinds. */
export class CursorInvalid extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'cursor_invalid';

  constructor() {
    super('The cursor is damaged, or one of another store, mode or kinds');
  }
}
