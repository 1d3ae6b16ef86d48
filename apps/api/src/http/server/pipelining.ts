import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const latest = new WeakMap<Socket, ServerResponse>();

/**
 * Refuses pipelined requests. Browsers, `fetch` and load balancers never send a request before the previous answer. A
 * packet holds hundreds of requests: Node would start them all and keep their answers in memory.
 */
export function refusePipelining(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const before = latest.get(socket);
    latest.set(socket, response);
    if (before?.closed !== false) serve(request, response);
    // A client may have read a large answer before this process knows that it is written.
    else setImmediate(() => (before.closed ? serve(request, response) : socket.destroy()));
  };
}

/** Whether an answer to malformed bytes would precede the answer that the connection owes, or would be a second one. */
export function owesAnswer(socket: Socket): boolean {
  const response = latest.get(socket);
  if (!response) return false;
  return response.req.complete ? !response.closed : response.headersSent;
}
