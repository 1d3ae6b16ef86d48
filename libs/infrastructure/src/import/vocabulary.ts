import { isCurrency, isReceiptNumber, isUuid } from '@app/domain';
import type { BundleLine } from './bundle.js';
import { integer, name, oneOf, required, textLike, type Field } from './fields.js';

export const INT4_MAX = 2_147_483_647;

/** The kind of a line, which its reader was chosen by. */
export const kind = <K extends BundleLine['kind']>(own: K) => required(oneOf([own]));
export const amount = integer(0, Number.MAX_SAFE_INTEGER);
/** Of history: a credit note is negative. */
export const signedAmount = integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const slug = name(200);
export const sku = name(200);
export const code = textLike(
  (given) => /^[^\s/]{1,64}$/.test(given),
  'must be 1 to 64 characters without blanks and slashes',
);
export const price = textLike(
  (given) => /^\d{1,18}(\.\d{1,18})?$/.test(given),
  'must be decimal text such as "79.90"',
) satisfies Field<string>;
export const uuid: Field<string> = (value, path) => textLike(isUuid, 'must be a UUID')(value, path).toLowerCase();
export const receipt = textLike(
  isReceiptNumber,
  'must be 1 to 64 letters, digits and hyphens, and not look like a UUID',
);
export const email = textLike(
  (given) => given === '' || /^[^\s@]+@[^\s@]+$/.test(given),
  'must be an e-mail address without blanks, or empty',
  254,
);
export const placeOfBin = textLike((given) => /^[^\s/]{1,64}\/[^\s/]{1,64}$/.test(given), 'must be WAREHOUSE/BIN');
export const currency = textLike(isCurrency, 'must be an ISO 4217 code such as "USD"');

/** Whether the text can be a store's subdomain: a DNS label in lower case. */
export function isSubdomain(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

export const subdomain = textLike(isSubdomain, 'must be 1 to 63 lower-case letters, digits and inner hyphens');
