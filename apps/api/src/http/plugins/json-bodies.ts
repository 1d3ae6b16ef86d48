import { Overloaded } from '@app/application';
import { BadRequestException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ClientGone } from '../../errors/client-gone.js';
import { MalformedRequest } from '../../errors/request-faults.js';
import type { Metrics } from '../../status/metrics.js';
import type { ConcurrencyLimits } from '../server/concurrency-limits.js';
import { noteArrival } from './body-timing.js';
import { excessOf } from './json-shape.js';
import { LARGE_BODY, LargeBodies } from './large-bodies.js';

interface Options {
  readonly limits: ConcurrencyLimits;
  readonly metrics: Metrics;
}

/**
 * A valid body has at most three levels, and the largest order about 450 values. The rest is for fields that are
 * ignored: 35 in each of 100 lines.
 */
const LIMITS = { levels: 8, values: 4_000 };
const EXCESS = {
  levels: `Request body is nested deeper than ${LIMITS.levels} levels`,
  values: 'Request body has too many values',
};

/** RFC 8259 lets a parser ignore one byte order mark. A server on the way may ignore another number of them. */
const TWO_BYTE_ORDER_MARKS = Buffer.from('\ufeff\ufeff');

const JSON_TYPES = /^application\/(?:[^;]*\+)?json(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/** Reads JSON request bodies in UTF-8 and refuses every other body. Large bodies wait for their turn. */
export const jsonBodies = fp<Options>(
  (fastify, { limits, metrics }, done) => {
    fastify.removeAllContentTypeParsers();
    // Fields that could reach a prototype are ignored, like every unknown field.
    const parse = fastify.getDefaultJsonParser('remove', 'remove');
    const large = new LargeBodies();
    const read = (request: FastifyRequest, body: Buffer): unknown => {
      // Clients that name the type with every request send it without a body, too.
      if (body.length === 0) return undefined;
      if (body.subarray(0, TWO_BYTE_ORDER_MARKS.length).equals(TWO_BYTE_ORDER_MARKS))
        throw new MalformedRequest('BYTE_ORDER_MARKS');
      const excess = excessOf(body, LIMITS);
      if (excess !== null) throw new BadRequestException(EXCESS[excess]);
      return parsed(parse, request, decode(request, body));
    };
    const readInTurn = (request: FastifyRequest, body: Buffer): Promise<unknown> =>
      large.inTurn(() => {
        if (request.raw.socket.destroyed) throw new ClientGone();
        // The order would be refused after parsing, which is the expensive part.
        if (limits.of(request)?.isFull) throw new Overloaded();
        return read(request, body);
      });
    fastify.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
      noteArrival(request);
      if (body.length <= LARGE_BODY) return read(request, body);
      return readInTurn(request, body).catch((error: unknown) => {
        if (error instanceof Overloaded) metrics.refusedRequests.inc({ kind: 'orders' });
        throw error;
      });
    });
    done();
  },
  { name: 'json-bodies', dependencies: ['body-timing'] },
);

type Parse = ReturnType<FastifyInstance['getDefaultJsonParser']>;

/** Fastify's parser calls back synchronously. */
function parsed(parse: Parse, request: FastifyRequest, text: string): unknown {
  let answer: { readonly error: Error | null; readonly value?: unknown } = { error: null };
  void parse(request, text, (error, value) => (answer = { error, value }));
  if (answer.error) throw answer.error;
  return answer.value;
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
