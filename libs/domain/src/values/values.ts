import { isCurrency } from './currency.js';
import { isCountry } from './country.js';
import { isMailAddress, MAX_EMAIL_ADDRESS } from './email-address.js';
import { isExternalReference, MAX_EXTERNAL_REFERENCE } from './external-reference.js';
import { isDisplayName, MAX_DISPLAY_NAME } from './text.js';
import { readDay, readTime } from './time.js';
import { isWebAddress } from './url.js';
import { integerFrom, kindOf, type ValueKind, type ValueReader } from './value-kind.js';

const textIf = (isValid: (text: string) => boolean) => (text: string) => (isValid(text) ? text : null);
const asGiven = textIf(() => true);

/** Returns a code in upper case. Its pattern allows only ASCII letters, because upper case changes others: `ß` becomes `SS`. */
const upperIf = (isValid: (code: string) => boolean) => (text: string) => textIf(isValid)(text.toUpperCase());

const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u;

/**
 * The values that bodies, query parameters, bundles, options and variables share. Each of them derives its checks, its
 * messages and its schema from this declaration.
 */
export const VALUES = {
  /** A moment in UTC, to the millisecond, of the years 1 to 9999. */
  time: kindOf(
    64,
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/u,
    'must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z',
    readTime,
  ),
  /** A day of the years 1 to 9999: its first moment in UTC. */
  day: kindOf(10, /^\d{4}-\d{2}-\d{2}$/u, 'must be a date such as 2026-03-29', readDay),
  /** The code of a warehouse or a bin. */
  code: kindOf(64, /^[^\s/]+$/u, 'must be 1 to 64 characters without whitespace or slashes', asGiven),
  /** A client's own number of an order, a shipment, a payment or a request. */
  reference: kindOf(
    MAX_EXTERNAL_REFERENCE,
    /^\S(.*\S)?$/u,
    `must be 1 to ${MAX_EXTERNAL_REFERENCE} visible characters, with plain spaces only between them`,
    textIf(isExternalReference),
  ),
  receiptNumber: kindOf(
    64,
    /^[A-Za-z0-9-]+$/u,
    'must be 1 to 64 letters, digits and hyphens, and not look like a UUID',
    textIf((text) => !UUID.test(text)),
  ),
  uuid: kindOf(36, UUID, 'must be a UUID', (text) => text.toLowerCase()),
  subdomain: kindOf(
    63,
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/u,
    'must be 1 to 63 lower-case letters, digits and inner hyphens',
    asGiven,
  ),
  currency: kindOf(
    3,
    /^[A-Za-z]{3}$/u,
    'must be a currency code of three letters, such as EUR (ISO 4217)',
    upperIf(isCurrency),
  ),
  country: kindOf(
    2,
    /^[A-Za-z]{2}$/u,
    'must be a country code of two letters, such as DE (ISO 3166-1)',
    upperIf(isCountry),
  ),
  /** An address that mail can be sent to. */
  email: kindOf(
    MAX_EMAIL_ADDRESS,
    /^[^\s@]+@[^\s@]+$/u,
    `must be one e-mail address (name@domain) of at most ${MAX_EMAIL_ADDRESS} bytes`,
    textIf(isMailAddress),
  ),
  /** A name for people, of a key or of a person. Surrounding blanks do not count. */
  displayName: {
    maxLength: MAX_DISPLAY_NAME,
    pattern: '\\S',
    rule: `must be 1 to ${MAX_DISPLAY_NAME} characters on one line, some of them visible, without control characters`,
    read: (text) => textIf(isDisplayName)(text.trim()),
  },
  /** Where a browser can go. */
  webAddress: kindOf(
    2_000,
    /^[A-Za-z]+:\/\/\S+$/u,
    'must be an http or https URL of at most 2000 characters',
    textIf(isWebAddress),
  ),
  /** A price in major units of its currency, for {@link Money.exact}. */
  decimal: kindOf(
    37,
    /^\d{1,18}(\.\d{1,18})?$/u,
    'must be a decimal of at least 0 in major units, such as 79.90',
    asGiven,
  ),
} as const satisfies Readonly<Record<string, ValueKind<unknown>>>;

/** An amount in minor units of its currency. */
export const AMOUNT: ValueReader<number> = {
  ...integerFrom(0, Number.MAX_SAFE_INTEGER),
  rule: 'must be an integer of at least 0, in minor units: 1099 is 10.99 USD',
};

const FLAGS = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

/** `true` or `1`, `false` or `0`, in any letter case. */
export const FLAG: ValueReader<boolean> = {
  rule: 'must be true or false',
  read: (text) => FLAGS.get(text.toLowerCase()) ?? null,
};

export const isReceiptNumber = (text: string): boolean => VALUES.receiptNumber.read(text) !== null;

/**
 * Reads the id that a client, an operator or a file names. Only the lower-case form is compared and authenticates
 * encrypted values, but some clients write capitals.
 * @param text with hyphens, of any version, in either case. @returns null for any other text.
 */
export const readUuid = (text: string): string | null => VALUES.uuid.read(text);
