import { Type, type SchemaOptions, type Static, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import { MAX_EMAIL_ADDRESS, MAX_EXTERNAL_REFERENCE, METADATA_SCHEMA, type Metadata } from '@app/domain';

/** Besides the keywords of JSON Schema, these have the unpublished ones of `check-line.ts`. */

/** A misspelled optional field would otherwise be lost silently. */
export const object = <T extends TProperties>(fields: T, options: SchemaOptions = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options });
export const list = <T extends TSchema>(item: T, options: SchemaOptions = {}) => Type.Array(item, options);
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const flag = Type.Boolean();
export const number = Type.Number();
export const integer = (minimum: number, maximum: number, description?: string) =>
  Type.Integer({ minimum, maximum, ...(description && { description }) });
export const oneOf = <const T extends readonly string[]>(values: T): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values });

/** Text that may be empty; null also means no value. Lengths are in code points. */
export const text = (maxLength: number, options: SchemaOptions = {}) =>
  Type.Unsafe<string>({ type: ['string', 'null'], maxLength, reads: 'text', ...options });

export const trimmedText = (maxLength: number) => text(maxLength, { reads: 'trimmedText' });

export const name = (maxLength: number, options: SchemaOptions = {}) =>
  Type.String({ maxLength, pattern: '\\S', problem: 'must not be empty', reads: 'name', ...options });

export const textLike = (pattern: string, problem: string, options: SchemaOptions = {}) =>
  Type.String({ maxLength: 200, pattern, problem, ...options });

const VISIBLE = `${MAX_EXTERNAL_REFERENCE} visible characters, with plain spaces only between them`;

export const orNull = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type, ...others } = schema as T & { type: string };
  return Type.Unsafe<Static<T> | null>({ ...others, type: [type, 'null'] });
};

export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

/** The description of a field that an existing row keeps. */
export const OF_NEW = 'A new row needs it.';

export const kind = <const K extends string>(own: K) => Type.Literal(own);
export const amount = integer(0, Number.MAX_SAFE_INTEGER, 'In minor units.');
const MOST = Number.MAX_SAFE_INTEGER;
export const signedAmount = integer(-MOST, MOST, 'In minor units; negative in a credit note.');
/** The limit leaves the sequence of the table room for new rows. */
const ID_USE = 'Used for a new row where it is free; otherwise, the row gets another one.';
export const MAX_ID = 1_000_000_000;
export const rowId = integer(1, MAX_ID, ID_USE);
export const taxRate = Type.Number({
  minimum: 0,
  maximum: 1_000,
  description: 'In percent, with at most 4 decimals.',
});
export const slug = name(200);
export const sku = name(200);
const readsText = { reads: 'text' };
export const code = textLike('^[^\\s/]{1,64}$', 'must be 1 to 64 characters without blanks and slashes', readsText);
export const price = textLike('^\\d{1,18}(\\.\\d{1,18})?$', 'must be decimal text such as "79.90"', {
  description: 'In major units, as decimal text such as "79.90".',
});
export const uuid = textLike(
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  'must be a UUID',
  { reads: 'uuid' },
);
export const receipt = textLike(
  '^[A-Za-z0-9-]{1,64}$',
  'must be 1 to 64 letters, digits and hyphens, and not look like a UUID',
  { reads: 'receipt' },
);
export const externalReference = text(MAX_EXTERNAL_REFERENCE, {
  reads: 'externalReference',
  problem: `must be at most ${VISIBLE}`,
  description: 'Unique in the store. Empty means none.',
});
const ofReference = { maxLength: MAX_EXTERNAL_REFERENCE, reads: 'reference' };
export const reference = textLike('\\S', `must be 1 to ${VISIBLE}`, ofReference);
export const email = text(MAX_EMAIL_ADDRESS, {
  reads: 'email',
  pattern: '^$|^[^\\s@]+@[^\\s@]+$',
  problem: `must be one e-mail address (name@domain) of at most ${MAX_EMAIL_ADDRESS} bytes, or empty`,
  description: 'An address that mail can be sent to.',
});
export const binReference = textLike('^[^\\s/]{1,64}/[^\\s/]{1,64}$', 'must be WAREHOUSE/BIN', readsText);
export const currency = textLike('^[A-Z]{3}$', 'must be an ISO 4217 code such as "USD"', { reads: 'currency' });
const zoneProblem = 'must be UTC or an IANA time zone such as "Europe/Berlin"';
export const timeZone = textLike('^(UTC|[A-Za-z]\\w*/.*)$', zoneProblem, { reads: 'timeZone' });
export const country = text(2, {
  pattern: '^$|^[A-Z]{2}$',
  reads: 'country',
  problem: 'must be a country code in upper case such as "DE" (ISO 3166-1), or empty',
});
export const timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
  problem: 'must be a timestamp such as "2026-01-02T03:04:05.000Z"',
  description: 'ISO 8601 with a zone.',
  reads: 'timestamp',
});
export const day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  problem: 'must be a date such as "2026-11-27"',
  reads: 'day',
});
export const updatedAt = described(
  timestamp,
  'ISO 8601 with a zone. Not stored: the service keeps when a record last changed.',
);
export const attributes = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { maxLength: 200 },
  additionalProperties: text(1_000),
  rule: 'attributes',
});
export const metadata = Type.Unsafe<Metadata>({ ...METADATA_SCHEMA, rule: 'metadata' });
export const details = Type.Unsafe<Record<string, unknown>>({ type: 'object', rule: 'details' });
export const settings = Type.Unsafe<Record<string, unknown>>({ type: 'object', rule: 'settings' });

const SUBDOMAIN = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';

export function isSubdomain(given: string): boolean {
  return new RegExp(SUBDOMAIN).test(given);
}

export const subdomain = textLike(SUBDOMAIN, 'must be 1 to 63 lower-case letters, digits and inner hyphens');
