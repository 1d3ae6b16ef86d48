import type { OrderSource } from './order-status.js';

/** Crockford's base 32 has no I, L, O or U, so a receipt number can be read out over the phone. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SUFFIX_LENGTH = 6;

export const RECEIPT_RANDOM_BYTES = SUFFIX_LENGTH;

/**
 * Makes a number such as `WEB-261120-7K3M9Q`: source, UTC date, six random characters. A shared counter would serialise
 * a store's orders and reveal how many there are. The unique key rejects a duplicate, and the order is retried with a
 * new number.
 */
export function receiptNumber(source: OrderSource, placedAt: Date, random: Uint8Array): string {
  const date = placedAt.toISOString().slice(2, 10).replaceAll('-', '');
  // 256 is a multiple of 32, so the remainder is unbiased.
  const suffix = Array.from(random.subarray(0, SUFFIX_LENGTH), (byte) => CROCKFORD[byte % 32]).join('');
  return `${source === 'POS' ? 'POS' : 'WEB'}-${date}-${suffix}`;
}
