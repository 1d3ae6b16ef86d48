import type { FastifyRequest } from 'fastify';
import { InvalidFields, shortName } from './invalid-fields.js';

const MAX_NAMES = 20;
/** Matches a header of RFC 7240 such as `Prefer: respond-async, handling=strict`. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

export function isStrict({ headers: { prefer } }: FastifyRequest): boolean {
  return prefer !== undefined && STRICT.test(String(prefer));
}

/**
 * Returns the value of the header that names what a request has and its route ignores; `''` for nothing.
 * @param names must be encoded by {@link encodeName}.
 * @throws InvalidFields in strict handling.
 */
export function ignoredNames(request: FastifyRequest, what: string, names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMES).join(', ');
  if (named !== '' && isStrict(request)) {
    const faults = names.map((path) => ({ path, message: `is not a ${what} of this request` }));
    throw new InvalidFields(faults, `Unknown ${what}: ${named}`);
  }
  return named;
}

/** Encodes a name as ASCII without blanks, control characters and commas: the header stays a list of names. */
export function encodeName(name: string): string {
  return encodeURIComponent(shortName(name));
}
