import { createHash } from 'node:crypto';

/** The first byte of a hash. Rows keep their hashes for ever, so a change of the hashed text needs another version. */
const VERSION = Buffer.of(1);

/**
 * Identifies a JSON value regardless of the sequence of its members. The result is a version and the SHA-256 of the
 * canonical text. Members that are undefined do not count, so a type may get further optional members.
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
