import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What happens to a connection. `silent` means nothing; a number ends the connection after that many bytes from the
 * client.
 */
export type Fate = 'pass' | 'silent' | number;

export class Door {
  private server: Server | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly behind: number,
    private readonly fate: () => Fate,
    public port = 0,
  ) {}

  static async open(behind: number, fate: () => Fate): Promise<Door> {
    const door = new Door(behind, fate);
    await door.reopen();
    return door;
  }

  async reopen(): Promise<void> {
    const server = createServer((client) => this.receive(client));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private receive(client: Socket): void {
    const fate = this.fate();
    this.keep(client);
    if (fate === 'silent') return void client.resume();
    const receiver = this.keep(connect(this.behind, '127.0.0.1'));
    client.once('close', () => receiver.destroy());
    receiver.once('close', () => client.destroy());
    let left = fate === 'pass' ? Infinity : fate;
    client.on('data', (chunk) => {
      left -= chunk.length;
      if (left < 0) client.destroy();
      else receiver.write(chunk);
    });
    receiver.pipe(client);
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
    return socket;
  }
}
