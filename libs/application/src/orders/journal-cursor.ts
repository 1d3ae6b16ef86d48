import { readUuid } from '@app/domain';
import { CursorInvalid } from '../feed/cursor-errors.js';
import { fromOpaque, toOpaque } from '../feed/cursor.js';
import type { JournalPosition } from '../ports/order.repository.js';

const VERSION = 'j1';

/** Returns a text that is opaque to clients: its parts may change. */
export function encodeJournalCursor(storeId: number, { at, booking, orderId }: JournalPosition): string {
  return toOpaque([VERSION, storeId, at.getTime(), booking, orderId].join('.'));
}

/** @throws CursorInvalid when the text is not a cursor of the journal of this store. */
export function decodeJournalCursor(cursor: string, storeId: number): JournalPosition {
  const [version, store, time, booking = '', orderId = ''] = fromOpaque(cursor)?.split('.') ?? [];
  const at = new Date(Number(time));
  const isPlace = /^\d{1,18}$/.test(booking) && readUuid(orderId) !== null && !Number.isNaN(at.getTime());
  if (version !== VERSION || Number(store) !== storeId || !isPlace) throw new CursorInvalid();
  return { at, booking, orderId };
}
