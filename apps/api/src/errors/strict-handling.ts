import type { FastifyRequest } from 'fastify';
import { InvalidFields, shortName } from './invalid-fields.js';

const MAX_NAMES = 20;
/** Matches the value of a `Prefer` header (RFC 7240) with the preference `handling=strict`. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

export function isStrict({ headers: { prefer } }: FastifyRequest): boolean {
  return prefer !== undefined && STRICT.test(String(prefer));
}

/**
 * Returns the value of the response header that names the ignored fields or parameters of a request; `''` when the
 * route ignores nothing.
 * @param what the kind of the names, such as `field`.
 * @param names the ignored names, encoded by {@link encodeName}. The header has at most the first 20.
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

/** Encodes a name as ASCII without blanks, control characters or commas, which would break the list in the header. */
export function encodeName(name: string): string {
  return encodeURIComponent(shortName(name));
}
