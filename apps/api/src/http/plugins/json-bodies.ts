import { BadRequestException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { bodyLimitsOf, isImport, isRaw, Ndjson } from '../../body/body-limits.js';
import { FASTIFY_FAULTS, MalformedRequest } from '../../errors/request-errors.js';
import { excessOf } from './json-shape.js';

/**
 * RFC 8259 lets a parser ignore one byte order mark. Two are refused, because a proxy and the service could then read
 * the body differently.
 */
const TWO_BYTE_ORDER_MARKS = Buffer.from('\ufeff\ufeff');

const JSON_TYPES = /^application\/(?:[^;]*\+)?json(?:;|$)/;
const NDJSON_TYPE = /^application\/x-ndjson(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

type Reader = (request: FastifyRequest, body: Buffer, next: (error: Error | null, body?: unknown) => void) => void;

export const jsonBodies = fp(
  (fastify, _options, done) => {
    fastify.removeAllContentTypeParsers();
    // The parser accepts a field such as `__proto__`. The service treats it as an unknown field, because it reads only
    // declared fields.
    const parse = fastify.getDefaultJsonParser('ignore', 'ignore');
    const addReader = (types: RegExp | '*', reader: Reader) =>
      fastify.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body: Buffer, next) => {
        if (isRaw(request)) next(null, body);
        else reader(request, body, next);
      });
    addReader(JSON_TYPES, (request, body, next) => {
      // Some clients send the content type even with requests without a body.
      if (body.length === 0) return next(null, undefined);
      void parse(request, textOf(request, body), next);
    });
    addReader(NDJSON_TYPE, (request, body, next) => next(null, ndjsonOf(request, body)));
    addReader('*', () => refuseContentType());
    done();
  },
  { name: 'json-bodies', dependencies: ['unknown-routes'] },
);

function refuseContentType(): never {
  throw new BadRequestException(FASTIFY_FAULTS['FST_ERR_CTP_INVALID_MEDIA_TYPE']);
}

function ndjsonOf(request: FastifyRequest, body: Buffer): Ndjson | undefined {
  if (!isImport(request)) refuseContentType();
  return body.length === 0 ? undefined : new Ndjson(textOf(request, body));
}

function textOf(request: FastifyRequest, body: Buffer): string {
  if (body.subarray(0, TWO_BYTE_ORDER_MARKS.length).equals(TWO_BYTE_ORDER_MARKS))
    throw new MalformedRequest('BYTE_ORDER_MARKS');
  const limits = bodyLimitsOf(request);
  const excess = excessOf(body, limits);
  if (excess === 'levels') throw new BadRequestException(`Request body is nested deeper than ${limits.levels} levels`);
  if (excess === 'values') throw new BadRequestException('Request body has too many values');
  return decode(request, body);
}

function decode({ headers }: FastifyRequest, body: Buffer): string {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new BadRequestException('Content-Encoding is not supported');
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(CHARSET)) {
    if (!/^utf-?8$/i.test(charset)) throw new BadRequestException('Charset must be utf-8');
  }
  try {
    // `ignoreBOM` keeps the byte order mark in the text. The parsers remove it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new BadRequestException('Request body is not valid UTF-8');
  }
}
