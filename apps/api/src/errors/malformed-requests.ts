import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { describeError } from './describe-error.js';
import { MalformedRequest } from './request-faults.js';

/**
 * Answers bytes that are no HTTP request. There is no request object, so the response is written by hand; whatever
 * came in, it is JSON, and the connection ends.
 */
export function refuseMalformed(code: string, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
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
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

/** Whether a response is on its way already: a second one in the middle of it would corrupt it. */
function isAnswering(socket: Duplex): boolean {
  return (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;
}
