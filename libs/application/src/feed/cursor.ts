import { createHash } from 'node:crypto';
import { readUuid } from '@app/domain';
import { CHANGE_KINDS, type ChangeKind, type FeedPosition } from '../ports/change-feed.js';
import { CursorInvalid } from './cursor-errors.js';

export interface CursorOwner {
  readonly storeId: number;
  readonly mode: string;
}

export interface Cursor extends FeedPosition {
  /**
   * Whether the cursor is from the middle of a read. The changes before it then add up to no state that the store ever
   * had.
   */
  readonly hasMore: boolean;
  readonly kinds: readonly ChangeKind[];
  readonly isTest?: boolean | undefined;
}

const VERSION = '1';

/** Returns a text that is opaque to clients: its parts may change. */
export function encodeCursor({ storeId, mode }: CursorOwner, cursor: Cursor): string {
  const { branch, position, base, kinds, hasMore, isTest } = cursor;
  const orders = isTest === undefined ? [] : [isTest ? 'test' : 'live'];
  const part = hasMore ? 'middle' : 'end';
  const text = [VERSION, storeId, mode, branch, position, base, kinds.join('+'), part, ...orders].join('.');
  return toOpaque(text);
}

/** @throws CursorInvalid when the text is not a cursor of this store and mode. */
export function decodeCursor(cursor: string, owner: CursorOwner): Cursor {
  const body = fromOpaque(cursor) ?? '';
  const [version, storeId, mode, branch = '', position, base, names = '', part, orders] = body.split('.');
  const isIntact = version === VERSION && readUuid(branch) !== null;
  if (!isIntact || Number(storeId) !== owner.storeId || mode !== owner.mode) throw new CursorInvalid();
  const listed = names.split('+');
  const kinds = CHANGE_KINDS.filter((kind) => listed.includes(kind));
  // A release that lacks one of the kinds cannot continue reading it.
  if (kinds.join('+') !== names) throw new CursorInvalid();
  return {
    branch,
    position: readCount(position),
    base: readCount(base),
    kinds,
    hasMore: part !== 'end',
    isTest: orders === undefined ? undefined : orders === 'test',
  };
}

function readCount(text = ''): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw new CursorInvalid();
  return count;
}

export function toOpaque(text: string): string {
  return Buffer.from(`${text}.${checksum(text)}`).toString('base64url');
}

/** @returns null when the cursor is damaged. */
export function fromOpaque(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString();
  const end = text.lastIndexOf('.');
  const body = text.slice(0, Math.max(end, 0));
  return text.slice(end + 1) === checksum(body) ? body : null;
}

/** Detects damage, such as a truncated cursor; it does not authenticate. */
function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
