import { isStorable, MAX_INT4 } from '@app/domain';

/** Reads an id from decimal digits; null when the text is not an id that can exist. */
export function parseId(text: string): number | null {
  if (!/^\d{1,10}$/.test(text)) return null;
  const id = Number(text);
  return id >= 1 && id <= MAX_INT4 ? id : null;
}

/** Whether `text` can be a slug: 1 to 200 characters, no NUL, no lone surrogate. */
function isSlug(text: string): boolean {
  return text.length >= 1 && text.length <= 200 && isStorable(text);
}

interface ByIdOrSlug<T> {
  findById(storeId: number, id: number): Promise<T | null>;
  findBySlug(storeId: number, slug: string): Promise<T | null>;
}

/** Finds by id when the reference is all digits, and by slug when it is not or there is no such id. */
export async function findByIdOrSlug<T>(source: ByIdOrSlug<T>, storeId: number, reference: string): Promise<T | null> {
  const id = parseId(reference);
  const byId = id === null ? null : await source.findById(storeId, id);
  if (byId !== null || !isSlug(reference)) return byId;
  return source.findBySlug(storeId, reference);
}
