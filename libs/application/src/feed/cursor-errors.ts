import { domainError } from '@app/domain';

export const CursorExpired = domainError(
  'invalid',
  'cursor_expired',
  'The service no longer stores all changes after this cursor or time. Start again without a cursor or time',
);
export const CursorInvalid = domainError(
  'invalid',
  'cursor_invalid',
  'The cursor is malformed, or belongs to another store, mode or set of kinds',
);
