import { readUuid } from '@app/domain';
import { CursorInvalid } from '../feed/cursor-errors.js';
import { fromOpaque, toOpaque } from '../feed/cursor.js';
import type { AuditPlace } from '../ports/audit-log.js';

const VERSION = 'a1';

/** Returns a text that is opaque to clients: its parts may change. */
export function encodeAuditCursor(storeId: number, { at, id }: AuditPlace): string {
  return toOpaque([VERSION, storeId, at.getTime(), id].join('.'));
}

/** @throws CursorInvalid when the text is not a cursor of the audit of this store. */
export function decodeAuditCursor(cursor: string, storeId: number): AuditPlace {
  const [version, store, time, id = ''] = fromOpaque(cursor)?.split('.') ?? [];
  const at = new Date(Number(time));
  const isPlace = readUuid(id) !== null && !Number.isNaN(at.getTime());
  if (version !== VERSION || Number(store) !== storeId || !isPlace) throw new CursorInvalid();
  return { at, id };
}
