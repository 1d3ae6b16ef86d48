import net, { type AddressInfo, type Socket } from 'node:net';

/** Stands between the application and its database, and can take the database away. */
export interface TcpProxy {
  /** The database's address by way of the proxy. */
  readonly url: string;
  /** Resets every connection and refuses new ones. */
  cut(): void;
  /** Keeps connections open and accepts new ones, but lets nothing through. */
  freeze(): void;
  /** Lets everything through again. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let mode: 'open' | 'cut' | 'frozen' = 'open';

  const server = net.createServer((client) => {
    if (mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = net.connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => mode === 'open' && to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const reset = () => sockets.forEach((socket) => socket.resetAndDestroy());
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
    restore: () => {
      // Bytes were dropped: what hung cannot go on.
      if (mode === 'frozen') reset();
      mode = 'open';
    },
    close: async () => {
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
