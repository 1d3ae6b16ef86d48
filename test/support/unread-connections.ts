import { once } from 'node:events';
import net, { type Socket } from 'node:net';

export function openUnread(port: number, count: number, bytes: string): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.pause();
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      socket.write(bytes);
      return socket;
    }),
  );
}
