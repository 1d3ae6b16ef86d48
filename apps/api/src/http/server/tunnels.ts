import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseMalformed } from './malformed-requests.js';

/** Answers CONNECT with 400 in JSON. Node would close the connection without an answer. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    refuseMalformed('CONNECT', socket);
  });
}
