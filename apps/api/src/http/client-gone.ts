import type { IncomingMessage } from 'node:http';

/** The client closed the connection before its request had arrived. It reads no answer. */
export class ClientGone extends Error {
  constructor() {
    super('The request did not arrive in full');
  }
}

/**
 * What failed, by where it failed: an error of the request's own stream is the client's. Its code, ECONNRESET, is that of
 * a lost database too.
 */
export function failureOf(error: unknown, { errored }: IncomingMessage): unknown {
  return error != null && error === errored ? new ClientGone() : error;
}
