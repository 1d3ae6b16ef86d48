import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAnsweredEarly, responsesOwed } from '../http/exchanges.js';
import { describeError } from './describe-error.js';
import { MalformedRequest } from './request-faults.js';

/**
 * Ends a connection on which bytes came in that are no HTTP request. A client takes the next answer it reads for that to
 * its request: one that is owed is sent, and nothing after it; a request that has its answer gets no second one.
 */
export function refuseMalformed(code: string, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  if (!socket.writable) return; // it is closing, and what still comes in is dropped
  const owed = responsesOwed(socket);
  if (owed.length > 0) endAfter(owed, socket);
  else if (isAnsweredEarly(socket)) closeSoon(socket);
  else answer(code, socket);
}

const ending = new WeakSet<Duplex>();

function endAfter(responses: readonly ServerResponse[], socket: Duplex): void {
  // Every further piece of the garbage is reported too.
  if (ending.has(socket)) return;
  ending.add(socket);
  const last = responses.at(-1);
  if (last?.headersSent === false) last.shouldKeepAlive = false;
  // They are sent in order, so the last one to be sent closes last.
  last?.once('close', () => closeSoon(socket));
}

/** As after an answer with `Connection: close`. */
function closeSoon(socket: Duplex): void {
  (socket as Socket).destroySoon();
}

/** There is no request object, so the response is written by hand; whatever came in, it is JSON. */
function answer(code: string, socket: Duplex): void {
  const { body } = describeError(new MalformedRequest(code));
  const text = JSON.stringify(body);
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${randomUUID()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  closeSoon(socket);
}
