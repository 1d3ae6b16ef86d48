import { Overloaded } from '@app/application';
import { BadRequestException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../status/metrics.js';
import type { ConcurrencyLimits } from './admission.js';
import { ClientGone } from '../errors/client-gone.js';
import { excessOf } from './json-shape.js';
import { LARGE_BODY, LargeBodies } from './large-bodies.js';

/** The deepest body that is asked for anywhere has three levels, the largest order some 300 values. */
const LIMITS = { levels: 8, values: 10_000 };
const EXCESS = {
  levels: `Request body is nested deeper than ${LIMITS.levels} levels`,
  values: 'Request body has too many values',
};

const JSON_TYPES = /^application\/(?:[^;]*\+)?json(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

declare module 'fastify' {
  interface FastifyRequest {
    /** Milliseconds that the service waited for the client to send the body. */
    waitedForBodyMs: number;
  }
}

/**
 * Measures how long a body takes that was not there when it was to be read: no deadline of ours begins before it is. What
 * a large one waits for its turn then is part of the order's time.
 */
export function timeBodies(fastify: FastifyInstance): void {
  fastify.decorateRequest('waitedForBodyMs', 0);
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    if (!request.raw.complete) request.waitedForBodyMs = -performance.now();
    done();
  });
}

function noteArrival(request: FastifyRequest): void {
  if (request.waitedForBodyMs < 0) request.waitedForBodyMs += performance.now();
}

/** Reads request bodies of JSON types, in UTF-8, and refuses every other body. Large ones wait for their turn. */
export function acceptOnlyJson(fastify: FastifyInstance, rooms: ConcurrencyLimits, metrics: Metrics): void {
  fastify.removeAllContentTypeParsers();
  // Like every field nobody asked for, those that could reach a prototype are ignored.
  const parse = fastify.getDefaultJsonParser('remove', 'remove');
  const large = new LargeBodies();
  const read = (request: FastifyRequest, body: Buffer): unknown => {
    const excess = excessOf(body, LIMITS);
    if (excess !== null) throw new BadRequestException(EXCESS[excess]);
    return parsed(parse, request, decode(request, body));
  };
  const readInTurn = (request: FastifyRequest, body: Buffer): Promise<unknown> =>
    large.inTurn(() => {
      if (request.raw.socket.destroyed) throw new ClientGone();
      if (rooms.of(request)?.isFull) throw new Overloaded();
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
}

type Parse = ReturnType<FastifyInstance['getDefaultJsonParser']>;

/** Fastify's parser answers at once, by a callback. */
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
    // The parser ignores one byte order mark. A decoder that took one away would let two pass.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new BadRequestException('Request body is not valid UTF-8');
  }
}
