import type { OrderSource } from './order-status.js';

/** Crockford's base 32: no I, L, O or U, so that a receipt can be read out over the phone. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SUFFIX_LENGTH = 6;

/** Random bytes a receipt number is made from. */
export const RECEIPT_RANDOM_BYTES = SUFFIX_LENGTH;

/**
 * A receipt number such as `WEB-261120-7K3M9Q`: source, UTC date, six random characters. There is no counter: a
 * shared one would serialise a store's orders and leak their number. About 10^9 numbers a store and day; a clash is
 * caught by the unique key and retried with a fresh one.
 */
export function receiptNumber(source: OrderSource, placedAt: Date, random: Uint8Array): string {
  const date = placedAt.toISOString().slice(2, 10).replaceAll('-', '');
  // 256 is a multiple of 32, so the remainder is not biased.
  const suffix = Array.from(random.subarray(0, SUFFIX_LENGTH), (byte) => CROCKFORD[byte % 32]).join('');
  return `${source === 'POS' ? 'POS' : 'WEB'}-${date}-${suffix}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` has the shape of a UUID, and so names an order or a customer by its id. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether `text` can be a receipt number: 1 to 64 letters, digits and hyphens that do not look like a UUID. */
export function isReceiptNumber(text: string): boolean {
  return /^[A-Za-z0-9-]{1,64}$/.test(text) && !isUuid(text);
}
