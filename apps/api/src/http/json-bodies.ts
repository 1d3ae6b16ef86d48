import { BadRequestException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isDeeperThan } from './json-depth.js';

/** The deepest body that is asked for anywhere has three levels. */
const MAX_DEPTH = 8;

const JSON_TYPES = /^application\/(?:[^;]*\+)?json(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

declare module 'fastify' {
  interface FastifyRequest {
    /** Milliseconds that the service waited for the client to send the body. */
    waitedForBodyMs: number;
  }
}

/** Measures how long a body takes that was not there when it was to be read: no deadline of ours begins before it is. */
export function timeBodies(fastify: FastifyInstance): void {
  fastify.decorateRequest('waitedForBodyMs', 0);
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (!request.raw.complete) request.waitedForBodyMs = -reply.elapsedTime;
    done();
  });
  fastify.addHook('preValidation', (request, reply, done) => {
    if (request.waitedForBodyMs < 0) request.waitedForBodyMs += reply.elapsedTime;
    done();
  });
}

/** Reads request bodies of JSON types, in UTF-8, and refuses every other body. */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  // Like every field nobody asked for, those that could reach a prototype are ignored.
  const parse = fastify.getDefaultJsonParser('remove', 'remove');
  fastify.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    let text: string;
    try {
      text = decode(request, body);
    } catch (error) {
      done(error as Error);
      return;
    }
    void parse(request, text, (error, value) => {
      if (!error && isDeeperThan(MAX_DEPTH, value)) {
        done(new BadRequestException(`Request body is nested deeper than ${MAX_DEPTH} levels`));
        return;
      }
      done(error, value);
    });
  });
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
