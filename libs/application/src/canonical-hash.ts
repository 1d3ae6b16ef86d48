import { createHash } from 'node:crypto';

/** The first byte of a hash. Another form of the text that is hashed needs another one: rows keep their hashes for ever. */
const VERSION = Buffer.of(1);

/**
 * Identifies a JSON value, whatever the order of its members: a version, and the SHA-256 of the canonical text. Members that
 * are undefined do not count, so that a type may get further optional ones.
 */
export function canonicalHash(value: unknown): Buffer {
  return Buffer.concat([VERSION, createHash('sha256').update(canonicalJson(value)).digest()]);
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join()}}`;
}
