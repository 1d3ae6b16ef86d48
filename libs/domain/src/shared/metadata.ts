import { isText } from '../values/text.js';

/** Named fields that a client stores with a record. The service reads none of them. */
export type Metadata = Readonly<Record<string, string>>;

/** Null removes the field. */
export type MetadataPatch = Readonly<Record<string, string | null>>;

/** Lengths are in code points. */
export const METADATA_LIMITS = { keys: 50, key: 40, text: 500 } as const;

/**
 * The maximum size of the metadata, as JSON, of an order with its lines and payments, or of a product with its
 * variants. Each read and message of the record contains all of it.
 */
const MAX_KILOBYTES = 64;
export const METADATA_SIZE = `${MAX_KILOBYTES} kB`;

/** @param all the metadata of one record and its parts. */
export function isMetadataSmall(all: readonly Metadata[]): boolean {
  return Buffer.byteLength(JSON.stringify(all)) <= MAX_KILOBYTES * 1024;
}

export const METADATA_SCHEMA = {
  type: 'object',
  maxProperties: METADATA_LIMITS.keys,
  propertyNames: { minLength: 1, maxLength: METADATA_LIMITS.key },
  additionalProperties: { type: 'string', maxLength: METADATA_LIMITS.text },
} as const;

export const METADATA_RULE =
  `must be an object of at most ${METADATA_LIMITS.keys} texts of at most ${METADATA_LIMITS.text} characters, ` +
  `by keys of 1 to ${METADATA_LIMITS.key} characters, such as {"erp": "4711"}`;

export function isMetadata(value: unknown): value is Metadata {
  return isMetadataPatch(value) && Object.values(value).every((text) => text !== null);
}

export function isMetadataPatch(value: unknown): value is MetadataPatch {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries: [string, unknown][] = Object.entries(value);
  return (
    entries.length <= METADATA_LIMITS.keys &&
    entries.every(([key, text]) => key !== '' && isText(key, METADATA_LIMITS.key) && isTextOrNull(text))
  );
}

export function isSameMetadata(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

export function withPatch(metadata: Metadata, patch: MetadataPatch): Metadata {
  const entries = Object.entries({ ...metadata, ...patch });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

function isTextOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && isText(value, METADATA_LIMITS.text));
}
