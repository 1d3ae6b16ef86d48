import { BadRequestException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;
/** RFC 7240: `Prefer: respond-async, handling=strict`. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

export function isStrict({ headers: { prefer } }: FastifyRequest): boolean {
  return prefer !== undefined && STRICT.test(String(prefer));
}

/**
 * The value of the header that names what a request has and its route ignores; `''` for nothing.
 * @param names encoded by {@link encodeName}.
 * @throws BadRequestException in strict handling.
 */
export function ignoredNames(request: FastifyRequest, what: string, names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMES).join(', ');
  if (named !== '' && isStrict(request)) throw new BadRequestException(`Unknown ${what}: ${named}`);
  return named;
}

/** As ASCII without blanks, control characters and commas: the header stays a list of names. */
export function encodeName(name: string): string {
  return encodeURIComponent([...name.toWellFormed()].slice(0, MAX_NAME_LENGTH).join(''));
}
