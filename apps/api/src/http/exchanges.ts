import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  latest: Exchange;
  /** In the order of the requests, of which a client may send several before the first answer. */
  readonly unfinished: Set<Exchange>;
}

const connections = new WeakMap<Duplex, Connection>();

/** Remembers what is going on on a connection, for when something comes in on it that belongs to no request. */
export function rememberExchange(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const exchange = { request, response };
  const connection = connections.get(socket) ?? { latest: exchange, unfinished: new Set() };
  connection.latest = exchange;
  connection.unfinished.add(exchange);
  connections.set(socket, connection);
  response.once('close', () => connection.unfinished.delete(exchange));
}

/** The exchange whose turn it is on a connection. */
export function firstUnfinishedOn(socket: Duplex): Exchange | null {
  const [first = null] = connections.get(socket)?.unfinished ?? [];
  return first;
}

/** How many requests of a connection have no whole answer yet. */
export function unfinishedOn(socket: Duplex): number {
  return connections.get(socket)?.unfinished.size ?? 0;
}

/** The responses that will come, or are on their way: not that to a request of which the rest cannot be read any more. */
export function responsesOwed(socket: Duplex): ServerResponse[] {
  return [...(connections.get(socket)?.unfinished ?? [])]
    .filter(({ request, response }) => request.complete || response.headersSent)
    .map(({ response }) => response);
}

/** Whether a request that is still coming in has its answer already. */
export function isAnsweredEarly(socket: Duplex): boolean {
  const latest = connections.get(socket)?.latest;
  return latest !== undefined && !latest.request.complete && latest.response.headersSent;
}

/** Whether all requests of a connection have their answers; not when none has come yet. */
export function isIdle(socket: Duplex): boolean {
  return connections.get(socket)?.unfinished.size === 0;
}
