import { createSocket, type Socket } from 'node:dgram';

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const HEADER_BYTES = 12;

/**
 * Returns addresses of 4 or 16 bytes each. An empty list means that the name has no such address, null that the server
 * does not answer.
 */
type Addresses = (name: string, type: 'A' | 'AAAA') => readonly number[][] | null;

export class DnsServer {
  private constructor(private readonly socket: Socket) {}

  static async start(addresses: Addresses): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.on('message', (question, { address, port }) => {
      const answer = answerTo(question, addresses);
      if (answer) socket.send(answer, port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** Builds a message of RFC 1035, section 4. */
function answerTo(message: Buffer, addresses: Addresses): Buffer | null {
  const labels: string[] = [];
  let end = HEADER_BYTES;
  for (let length = message[end] ?? 0; length > 0; length = message[end] ?? 0) {
    labels.push(message.toString('ascii', end + 1, end + 1 + length));
    end += 1 + length;
  }
  const type = TYPES[message.readUInt16BE(end + 1)];
  const found = type ? addresses(labels.join('.').toLowerCase(), type) : [];
  if (!found) return null;
  const header = Buffer.from([...message.subarray(0, 2), 0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0]);
  const question = message.subarray(HEADER_BYTES, end + 5);
  const records = found.map((bytes) =>
    // The record contains the name of the question, its type and class, no time to live, and the address.
    Buffer.from([0xc0, HEADER_BYTES, ...message.subarray(end + 1, end + 5), 0, 0, 0, 0, 0, bytes.length, ...bytes]),
  );
  return Buffer.concat([header, question, ...records]);
}
