import { BadRequestException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;
/** RFC 7240: `Prefer: respond-async, handling=strict`. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

/**
 * Reports parameters that the route does not have, which are probably misspelled. They are ignored and named in
 * `X-Ignored-Parameters`: the first 20 names, each cut to 64 characters and percent-encoded.
 *
 * @throws BadRequestException with the names when the client prefers strict handling.
 */
export function reportUnknownParameters(names: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  if (names.length === 0) return;
  const named = names.slice(0, MAX_NAMES).map(encodeName).join(', ');
  if (STRICT.test(String(request.headers['prefer'] ?? ''))) {
    throw new BadRequestException(`Unknown query parameter: ${named}`);
  }
  reply.header('x-ignored-parameters', named);
}

/** Encodes a name as ASCII without blanks, control characters and commas, so that the header stays a list of names. */
function encodeName(name: string): string {
  return encodeURIComponent([...name.toWellFormed()].slice(0, MAX_NAME_LENGTH).join(''));
}
