import { Deadline, ORDER_DEADLINE_MS } from '@app/application';
import type { FastifyReply } from 'fastify';

/** The time in which the service waited for the body does not count. */
export function deadlineOf({ elapsedTime, request }: FastifyReply, milliseconds = ORDER_DEADLINE_MS): Deadline {
  return Deadline.in(milliseconds - (elapsedTime - request.waitedForBodyMs));
}
