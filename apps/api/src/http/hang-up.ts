import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';

/**
 * Closes a connection with a reset. After an ordinary close, the kernel keeps what the client has not read, megabytes for
 * each connection, for minutes.
 */
export function hangUp(connection: Duplex): void {
  // libuv cannot reset a connection while it shuts its side down, and would leave the descriptor open.
  const { writableEnded, writableLength, writableFinished } = connection;
  const isShuttingDown = writableEnded && writableLength === 0 && !writableFinished;
  if (connection instanceof Socket && !connection.destroyed && !isShuttingDown) connection.resetAndDestroy();
  else connection.destroy();
}
