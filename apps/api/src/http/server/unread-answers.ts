import type { RequestListener } from 'node:http';
import type { Metrics } from '../../status/metrics.js';
import { ByteBudget } from './byte-budget.js';

/** Most processes can spare this much. Answers that a client reads at the speed of a network leave the process at once. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Bounds the bytes of answers that wait in the process because clients do not read them. */
export function limitUnreadAnswers(serve: RequestListener, metrics: Metrics, most = MAX_UNREAD_BYTES): RequestListener {
  const budget = new ByteBudget(most, () => metrics.droppedConnections.inc({ reason: 'unread' }));

  return (request, response) => {
    const { socket } = request;
    response.once('close', () => budget.release(socket));
    // The answer is complete, and the kernel has taken what it could.
    response.once('prefinish', () => {
      if (socket.writableLength > 0 && !socket.destroyed) budget.hold(socket, socket.writableLength);
    });
    serve(request, response);
  };
}
