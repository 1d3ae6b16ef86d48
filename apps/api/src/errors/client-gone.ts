import type { IncomingMessage } from 'node:http';

/** The client closed the connection before its request had arrived in full. It reads no answer. */
export class ClientGone extends Error {
  constructor() {
    super('The request did not arrive in full');
  }
}

/**
 * Returns `ClientGone` for an error of the request's own stream, and any other error unchanged. The code of such an error,
 * ECONNRESET, does not tell it from a lost database.
 */
export function failureOf(error: unknown, { errored }: IncomingMessage): unknown {
  return error != null && error === errored ? new ClientGone() : error;
}
