import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { describeError } from '../../errors/describe-error.js';
import { MalformedRequest } from '../../errors/request-errors.js';
import { owesAnswer } from './pipelining.js';

/**
 * Answers malformed bytes with a 400 and closes the connection. When the connection still owes another answer, it is
 * closed without a 400: the client would take the 400 for that answer.
 */
export function refuseMalformed(code: string, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable || owesAnswer(socket)) {
    socket.destroy();
    return;
  }
  const refusal = describeError(new MalformedRequest(code));
  const text = JSON.stringify(refusal.body);
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${randomUUID()}`,
    `X-Error-Code: ${refusal.code}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroySoon();
}
