import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describeError } from '../../errors/describe-error.js';
import { MalformedRequest } from '../../errors/request-faults.js';
import { isAnsweredEarly, responsesOwed } from './exchanges.js';

/**
 * Ends a connection that received bytes that are not an HTTP request. A client matches answers to requests by their
 * order, so the server first sends the answers that it owes, then nothing more; an answered request gets no second answer.
 */
export function refuseMalformed(code: string, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  if (!socket.writable) return; // the connection is closing; Node drops further bytes
  const owed = responsesOwed(socket);
  if (owed.length > 0) endAfter(owed, socket);
  else if (isAnsweredEarly(socket)) closeSoon(socket);
  else answer(code, socket);
}

const ending = new WeakSet<Duplex>();

function endAfter(responses: readonly ServerResponse[], socket: Duplex): void {
  // Node reports every further chunk of malformed bytes too.
  if (ending.has(socket)) return;
  ending.add(socket);
  const last = responses.at(-1);
  if (last?.headersSent === false) last.shouldKeepAlive = false;
  // Answers leave in order, so the last one closes last.
  last?.once('close', () => closeSoon(socket));
}

/** Closes the connection as after an answer with `Connection: close`. */
function closeSoon(socket: Duplex): void {
  (socket as Socket).destroySoon();
}

/** Writes a JSON response by hand: Node made no request object. */
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
