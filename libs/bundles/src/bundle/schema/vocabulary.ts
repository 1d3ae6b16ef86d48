import { Type, type SchemaOptions, type Static, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import { MAX_TAX_RATE, METADATA_SCHEMA, orEmpty, VALUES, type Metadata, type ValueKind } from '@app/domain';

/** In addition to the keywords of JSON Schema, these have the unpublished keywords of `check-line.ts`. */

/** Refuses unknown fields: otherwise, a misspelled optional field would be lost silently. */
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

/** A text that may be empty; null also means no value. Lengths are in code points. */
export const text = (maxLength: number, options: SchemaOptions = {}) =>
  Type.Unsafe<string>({ type: ['string', 'null'], maxLength, reads: 'text', ...options });

export const trimmedText = (maxLength: number) => text(maxLength, { reads: 'trimmedText' });

export const name = (maxLength: number, options: SchemaOptions = {}) =>
  Type.String({ maxLength, pattern: '\\S', reads: 'name', ...options });

const textLike = (pattern: string, problem: string, options: SchemaOptions = {}) =>
  Type.String({ maxLength: 200, pattern, problem, ...options });

const schemaOf = ({ maxLength, pattern, rule }: ValueKind<unknown>) => ({ maxLength, pattern, problem: rule });

/** A value that bodies, parameters and options read alike. */
const value = (kind: keyof typeof VALUES, options: SchemaOptions = {}) =>
  Type.String({ ...schemaOf(VALUES[kind]), reads: kind, ...options });

/** Null also means no value. */
const valueOrEmpty = (kind: keyof typeof VALUES, options: SchemaOptions = {}) =>
  Type.Unsafe<string>({
    type: ['string', 'null'],
    ...schemaOf(orEmpty<unknown>(VALUES[kind])),
    reads: kind,
    ...options,
  });

export const orNull = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type, ...others } = schema as T & { type: string };
  return Type.Unsafe<Static<T> | null>({ ...others, type: [type, 'null'] });
};

export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

/** Describes a field that an existing row keeps when it is absent. */
export const OF_NEW = 'Required for a new row.';

export const kind = <const K extends string>(own: K) => Type.Literal(own);
export const amount = integer(0, Number.MAX_SAFE_INTEGER, 'In minor units.');
const MOST = Number.MAX_SAFE_INTEGER;
export const signedAmount = integer(-MOST, MOST, 'In minor units; negative in a credit note.');
/** The limit leaves room for new rows in the sequence of the table. */
const ID_USE = 'Used for a new row if it is free; otherwise the row gets another one.';
export const MAX_ID = 1_000_000_000;
export const rowId = integer(1, MAX_ID, ID_USE);
export const taxRate = Type.Number({
  minimum: 0,
  maximum: MAX_TAX_RATE,
  description: 'In percent, with at most 4 decimals.',
});
export const slug = name(200);
export const sku = name(200);
export const code = value('code');
export const price = value('decimal', { description: 'In major units, as decimal text such as "79.90".' });
export const uuid = value('uuid');
export const receipt = value('receiptNumber');
export const externalReference = valueOrEmpty('reference', { description: 'Unique in the store. Empty means none.' });
export const reference = value('reference');
export const email = valueOrEmpty('email', { description: 'An address that mail can be sent to.' });
export const binReference = textLike('^[^\\s/]+/[^\\s/]+$', 'must be WAREHOUSE/BIN', { reads: 'binReference' });
export const currency = value('currency');
const zoneProblem = 'must be UTC or an IANA time zone such as "Europe/Berlin"';
export const timeZone = textLike('^(UTC|[A-Za-z]\\w*/.*)$', zoneProblem, { reads: 'timeZone' });
export const country = valueOrEmpty('country');
export const timestamp = value('time', { description: 'ISO 8601 with a zone.' });
export const day = value('day');
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
export const settings = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  rule: 'settings',
});
export const subdomain = value('subdomain');
