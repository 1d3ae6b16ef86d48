import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { JoiningSocket } from './joining-socket.js';

describe('a JoiningSocket', () => {
  it('keeps what one turn writes until its end, and sends it then', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = new JoiningSocket().connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [[peer]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [
      [net.Socket],
      unknown,
    ];

    for (const turn of ['first', 'second']) {
      for (const text of [`${turn} `, 'turn']) {
        // The pg driver does the same for each statement.
        socket.cork();
        socket.write(text);
        socket.uncork();
      }
      expect(socket.writableLength).toBe(`${turn} turn`.length);
      const [received] = (await once(peer, 'data')) as [Buffer];
      expect(received.toString()).toBe(`${turn} turn`);
    }

    socket.destroy();
    server.close();
  });
});
