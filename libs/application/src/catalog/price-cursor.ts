import { MAX_INT4 } from '@app/domain';
import { CursorInvalid } from '../feed/cursor-errors.js';
import { fromOpaque, toOpaque } from '../feed/cursor.js';
import type { SkuId } from '../ports/sku.repository.js';

const VERSION = 'p1';

/** Opaque to clients: its parts are no promise. */
export function encodePriceCursor(storeId: number, { productId, variantId }: SkuId): string {
  return toOpaque([VERSION, storeId, productId, variantId ?? 0].join('.'));
}

/** @throws CursorInvalid when the text is not a cursor of the prices of this store. */
export function decodePriceCursor(cursor: string, storeId: number): SkuId {
  const [version, store, ...ids] = fromOpaque(cursor)?.split('.') ?? [];
  const [productId = -1, variantId = -1] = ids.map((id) => (/^\d{1,10}$/.test(id) ? Number(id) : -1));
  const isUnit = [productId, variantId].every((id) => id >= 0 && id <= MAX_INT4);
  if (version !== VERSION || Number(store) !== storeId || !isUnit) throw new CursorInvalid();
  return { productId, variantId: variantId || null };
}
