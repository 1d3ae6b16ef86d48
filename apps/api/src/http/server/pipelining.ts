import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The response to the latest request of a connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/**
 * Closes a connection that sends a request before it has taken the answer to the one before. Browsers, `fetch` and
 * balancers never do. A packet holds hundreds of requests: Node would start them all and keep their answers in memory.
 */
export function refusePipelining(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    if (latest.get(socket)?.closed === false) {
      socket.destroy();
      return;
    }
    latest.set(socket, response);
    serve(request, response);
  };
}

/** Whether an answer to malformed bytes would overtake the answer that the connection owes, or would be a second one. */
export function owesAnswer(socket: Socket): boolean {
  const response = latest.get(socket);
  if (!response) return false;
  return response.req.complete ? !response.closed : response.headersSent;
}
