import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface TcpProxy {
  readonly url: string;
  cut(): void;
  /** Keeps connections open and accepts new ones, but forwards nothing. */
  freeze(): void;
  /** Forwards nothing more on the currently open connections. New ones work. */
  freezeOpenConnections(): void;
  delay(milliseconds: number): void;
  restore(): void;
  close(): Promise<void>;
}

/** `cut` drops the bytes, ends the connection to the server and resets the client. `deliver and cut` resets the client before the answer. */
export type ClientDataVerdict = 'pass' | 'drop' | 'cut' | 'deliver and cut';

interface TcpProxyOptions {
  /**
   * Called for each statement, even for those that arrive together. The protocol is plain text: a chunk that includes
   * `COMMIT` is that statement.
   * @param connection counts from 1.
   */
  readonly onClientData?: (chunk: Buffer, connection: number) => ClientDataVerdict;
}

export async function startTcpProxy(
  databaseUrl: string,
  { onClientData = () => 'pass' }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  let connections = 0;
  const sockets = new Map<Socket, number>();
  /** Connections up to this number are frozen. */
  let frozen = 0;
  let mode: 'open' | 'cut' | 'frozen' = 'open';
  let latency = 0;

  const server = net.createServer((client) => {
    if (mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = net.connect(Number(target.port || 5432), target.hostname);
    const connection = ++connections;
    const toServer = inOrder(() => latency);
    const toClient = inOrder(() => latency);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.set(from, connection);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        // Does not destroy the connection: bytes that were sent before the client's reset must arrive.
        if (to.writableEnded) to.resume();
        else to.destroy();
      });
    }
    const isOpen = () => mode === 'open' && connection > frozen;
    upstream.on('data', (chunk) => toClient(() => isOpen() && !client.destroyed && client.write(chunk)));
    const statementsIn = statementReader();
    client.on('data', (received) => {
      if (!isOpen()) return;
      for (const chunk of statementsIn(received)) {
        const verdict = onClientData(chunk, connection);
        if (verdict === 'pass') toServer(() => !upstream.destroyed && upstream.write(chunk));
        if (verdict === 'cut' || verdict === 'deliver and cut') {
          upstream.end(verdict === 'cut' ? '' : chunk);
          client.resetAndDestroy();
          return;
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const reset = (upTo = Infinity) =>
    sockets.forEach((connection, socket) => connection <= upTo && socket.resetAndDestroy());
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: () => {
      mode = 'cut';
      reset();
    },
    freeze: () => void (mode = 'frozen'),
    freezeOpenConnections: () => void (frozen = connections),
    delay: (milliseconds) => void (latency = milliseconds),
    restore: () => {
      // Frozen connections have lost bytes and cannot continue.
      reset(mode === 'frozen' ? Infinity : frozen);
      mode = 'open';
      frozen = 0;
    },
    close: async () => {
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Splits what a client sends into its statements, which wait until they are complete. A message has one byte for its
 * type, which the first of a connection lacks, and four for the length of the rest, themselves included.
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function statementReader(): (received: Buffer) => Buffer[] {
  /** Whether Sync or Flush ends this message: Parse, Bind, Describe, Execute, Close. */
  const isPart = (type: number) => 'PBDEC'.includes(String.fromCharCode(type));
  let unread = Buffer.alloc(0);
  let isFirst = true;
  return (received) => {
    unread = Buffer.concat([unread, received]);
    const statements: Buffer[] = [];
    let begin = 0;
    let end = 0;
    for (;;) {
      const length = end + (isFirst ? 0 : 1);
      if (length + 4 > unread.length) break;
      const next = length + unread.readUInt32BE(length);
      if (next > unread.length) break;
      if (isFirst || !isPart(unread[end] ?? 0)) {
        statements.push(unread.subarray(begin, next));
        begin = next;
      }
      isFirst = false;
      end = next;
    }
    unread = unread.subarray(begin);
    return statements;
  };
}

function inOrder(latency: () => number): (send: () => unknown) => void {
  let waiting = 0;
  let last = Promise.resolve();
  return (send) => {
    const due = Date.now() + latency();
    if (waiting === 0 && latency() === 0) return void send();
    waiting++;
    last = last.then(async () => {
      await sleep(Math.max(0, due - Date.now()));
      waiting--;
      send();
    });
  };
}
