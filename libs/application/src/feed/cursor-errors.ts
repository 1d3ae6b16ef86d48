import { domainError } from '@app/domain';

export const CursorExpired = domainError(
  'invalid',
  'cursor_expired',
  'The cursor or time is too old: later deletions are no longer stored. Start again without it',
);
export const CursorInvalid = domainError(
  'invalid',
  'cursor_invalid',
  'The cursor is malformed, or belongs to another store, mode or set of kinds',
);
