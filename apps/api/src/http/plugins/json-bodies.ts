import { BadRequestException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { MalformedRequest } from '../../errors/request-errors.js';
import { excessOf } from './json-shape.js';

/** A valid body has at most three levels, and the largest order about 450 values. The rest is for ignored fields. */
const LIMITS = { levels: 8, values: 4_000 };
const EXCESS = {
  levels: `Request body is nested deeper than ${LIMITS.levels} levels`,
  values: 'Request body has too many values',
};

/** RFC 8259 lets a parser ignore one byte order mark. A server on the way may ignore another number of them. */
const TWO_BYTE_ORDER_MARKS = Buffer.from('\ufeff\ufeff');

const JSON_TYPES = /^application\/(?:[^;]*\+)?json(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

export const jsonBodies = fp(
  (fastify, _options, done) => {
    fastify.removeAllContentTypeParsers();
    // A field such as `__proto__` is an unknown field like any other: bodies are read by their declared fields only.
    const parse = fastify.getDefaultJsonParser('ignore', 'ignore');
    fastify.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, (request, body: Buffer, next) => {
      // Clients that name the type with every request send it without a body, too.
      if (body.length === 0) return next(null, undefined);
      let text: string;
      try {
        text = textOf(request, body);
      } catch (error) {
        return next(error as Error, undefined);
      }
      void parse(request, text, next);
    });
    done();
  },
  { name: 'json-bodies', dependencies: ['unknown-routes'] },
);

function textOf(request: FastifyRequest, body: Buffer): string {
  if (body.subarray(0, TWO_BYTE_ORDER_MARKS.length).equals(TWO_BYTE_ORDER_MARKS))
    throw new MalformedRequest('BYTE_ORDER_MARKS');
  const excess = excessOf(body, LIMITS);
  if (excess !== null) throw new BadRequestException(EXCESS[excess]);
  return decode(request, body);
}

function decode({ headers }: FastifyRequest, body: Buffer): string {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new BadRequestException('Content-Encoding is not supported');
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(CHARSET)) {
    if (!/^utf-?8$/i.test(charset)) throw new BadRequestException('Charset must be utf-8');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body); // the parser ignores the mark
  } catch {
    throw new BadRequestException('Request body is not valid UTF-8');
  }
}
