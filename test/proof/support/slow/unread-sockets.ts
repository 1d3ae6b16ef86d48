import { setTimeout as delay } from 'node:timers/promises';
import { kernelSockets } from '../../../support/kernel-sockets.js';
import { openUnread } from '../../../support/unread-connections.js';

const CONNECTIONS = 200;
/** 1.5 MB each, and none needs a key: more than the buffers of a connection hold. */
const REQUESTS = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5);
const LOOK_EVERY_MS = 250;
const MB = 1024 * 1024;

export interface UnreadSockets {
  readonly figures: string;
  readonly violations: readonly string[];
}

/**
 * Leaves large answers unread on connections that stay open, until the service hangs up on them, and looks at what the
 * kernel keeps of them then. Nobody else may be connected to the port.
 */
export async function leaveAnswersUnread(port: number, closedInMs: number): Promise<UnreadSockets> {
  const clients = await openUnread(port, CONNECTIONS, REQUESTS);
  const giveUp = Date.now() + closedInMs;
  let most = 0;
  let left = kernelSockets(port);
  while (Date.now() < giveUp && (most === 0 || left.unsentBytes > 0)) {
    await delay(LOOK_EVERY_MS);
    left = kernelSockets(port);
    most = Math.max(most, left.unsentBytes);
  }
  clients.forEach((client) => client.destroy());
  const megabytes = (bytes: number) => Math.round(bytes / MB);
  return {
    figures: `${CONNECTIONS} that left ${megabytes(most)} MB unread in the kernel, ${megabytes(left.unsentBytes)} MB after`,
    violations:
      left.unsentBytes > 0
        ? [`the kernel keeps ${left.unsentBytes} unread bytes in ${left.count} sockets after ${closedInMs} ms`]
        : [],
  };
}
