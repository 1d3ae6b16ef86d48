import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Closes a connection with a reset. After an ordinary close, the kernel keeps unread bytes, megabytes per connection, for
 * minutes.
 */
export function hangUp(connection: Duplex): void {
  stopParsing(connection);
  // libuv cannot reset a connection during its shutdown, and would leak the descriptor.
  const { writableEnded, writableLength, writableFinished } = connection;
  const isShuttingDown = writableEnded && writableLength === 0 && !writableFinished;
  if (connection instanceof Socket && !connection.destroyed && !isShuttingDown) connection.resetAndDestroy();
  else connection.destroy();
}

/** Tells Node's parser to treat the rest of a packet as data of another protocol. */
const STOP = 2;

/**
 * Node parses a packet to its end after the connection closed and makes two objects for each of up to 1,700 requests. They
 * stay in memory until every socket that became readable at the same time has been parsed.
 */
function stopParsing(connection: Duplex): void {
  const { parser } = connection as { readonly parser?: { onIncoming: (() => number) | null } | null };
  if (parser?.onIncoming) parser.onIncoming = () => STOP;
}
