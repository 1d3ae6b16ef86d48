import type { IncomingMessage } from 'node:http';
import { BadRequestException } from '@nestjs/common';
import fp from 'fastify-plugin';
import { linesNamed } from '../../headers.js';
import { MAX_HEADER_LINES } from '../server/create-server.js';

/** Matches a host of RFC 9110, section 7.2: a host name or an IP address, with an optional port. It may be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d{0,5})?$/i;

/**
 * Checks what Node's parser accepts and another server in between may read differently. After a fault, the next request
 * on the connection cannot be trusted.
 */
function faultOfHead({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The HTTP version is not supported';
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return 'The request has too many headers';
  const hosts = linesNamed('host', rawHeaders);
  if (hosts > 1) return 'Host must be sent once';
  if (hosts === 0 && httpVersion === '1.1') return 'The Host header is required';
  if (!HOST.test(headers.host ?? '')) return 'The Host header is malformed';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  return httpVersion === '1.1' && coding.toLowerCase() === 'chunked' ? null : 'Transfer-Encoding must be chunked';
}

/** Runs before any other plugin reads the head, and before Nest's adapter adds its hooks, one of which answers 404. */
export const requestHead = fp(
  (fastify, _options, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      reply.header('x-request-id', request.id);
      const fault = faultOfHead(request.raw);
      if (fault === null) {
        next();
        return;
      }
      reply.raw.shouldKeepAlive = false;
      // The authentication plugin sets this header for all later answers under /v1.
      reply.header('cache-control', 'no-store');
      next(new BadRequestException(fault));
    });
    done();
  },
  { name: 'request-head' },
);
