import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Closes a connection with a reset. After an ordinary close, the kernel keeps unread bytes, megabytes per connection, for
 * minutes.
 */
export function hangUp(connection: Duplex): void {
  // libuv cannot reset a connection during its shutdown, and would leak the descriptor.
  const { writableEnded, writableLength, writableFinished } = connection;
  const isShuttingDown = writableEnded && writableLength === 0 && !writableFinished;
  if (connection instanceof Socket && !connection.destroyed && !isShuttingDown) connection.resetAndDestroy();
  else connection.destroy();
}
