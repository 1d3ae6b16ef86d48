import { BadRequestException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;
/** RFC 7240: `Prefer: respond-async, handling=strict`. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

/**
 * Tells the client of parameters the route does not have, which are probably misspelt. They are ignored, and named in
 * `X-Ignored-Parameters`: the first 20, the first 64 characters of each, percent-encoded.
 *
 * @throws BadRequestException naming them when the client prefers strict handling.
 */
export function reportUnknownParameters(names: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  if (names.length === 0) return;
  const named = names.slice(0, MAX_NAMES).map(encodeName).join(', ');
  if (STRICT.test(String(request.headers['prefer'] ?? ''))) {
    throw new BadRequestException(`Unknown query parameter: ${named}`);
  }
  reply.header('x-ignored-parameters', named);
}

/** Nothing but ASCII without blanks, controls and commas is left, so the header stays one list of names. */
function encodeName(name: string): string {
  return encodeURIComponent([...name.toWellFormed()].slice(0, MAX_NAME_LENGTH).join(''));
}
