import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  latest: Exchange;
  /** In request order. A client may pipeline several requests before the first answer. */
  readonly unfinished: Set<Exchange>;
}

const connections = new WeakMap<Duplex, Connection>();

/** Records a request and its response on their connection, until the response closes. */
export function rememberExchange(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const exchange = { request, response };
  const connection = connections.get(socket) ?? { latest: exchange, unfinished: new Set() };
  connection.latest = exchange;
  connection.unfinished.add(exchange);
  connections.set(socket, connection);
  response.once('close', () => connection.unfinished.delete(exchange));
}

/** The oldest unfinished exchange of a connection: the one to serve next. */
export function firstUnfinishedOn(socket: Duplex): Exchange | null {
  const [first = null] = connections.get(socket)?.unfinished ?? [];
  return first;
}

/** The number of requests on a connection without a complete answer. */
export function unfinishedOn(socket: Duplex): number {
  return connections.get(socket)?.unfinished.size ?? 0;
}

/** The responses that the server still sends. Excludes the one to an incomplete request that has no answer yet. */
export function responsesOwed(socket: Duplex): ServerResponse[] {
  return [...(connections.get(socket)?.unfinished ?? [])]
    .filter(({ request, response }) => request.complete || response.headersSent)
    .map(({ response }) => response);
}

/** Whether the latest request has its answer before it has arrived in full. */
export function isAnsweredEarly(socket: Duplex): boolean {
  const latest = connections.get(socket)?.latest;
  return latest !== undefined && !latest.request.complete && latest.response.headersSent;
}
