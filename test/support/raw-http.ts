import net from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  json(): Record<string, unknown>;
  readonly closed: boolean;
}

export interface RawOptions {
  readonly waitMs?: number;
  /** Whether to return after a whole response, without waiting for the end of the connection. */
  readonly keep?: boolean;
  /** Awaited before each piece except the first. */
  readonly between?: () => Promise<unknown>;
}

export function sendRaw(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  { waitMs = 15_000, keep = true, between }: RawOptions = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let closed = false;
    const socket = net.connect(port, '127.0.0.1', () => {
      void write();
    });
    const write = async () => {
      for (const [index, piece] of [bytes].flat().entries()) {
        if (index > 0) await between?.();
        socket.write(piece);
      }
    };
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      const response = parseLast(Buffer.concat(chunks).toString('utf8'), closed);
      if (response) resolve(response);
      else reject(new Error(`No response within ${waitMs} ms; got ${JSON.stringify(String(Buffer.concat(chunks)))}`));
    };
    const timer = setTimeout(finish, waitMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (keep && parseLast(Buffer.concat(chunks).toString('utf8'), false)) setImmediate(finish);
    });
    socket.on('close', () => {
      closed = true;
      finish();
    });
    socket.on('error', () => undefined);
  });
}

function parseLast(text: string, closed: boolean): RawResponse | null {
  const start = text.lastIndexOf('HTTP/1.1 ');
  const end = text.indexOf('\r\n\r\n', start);
  if (start < 0 || end < 0) return null;
  const [statusLine = '', ...lines] = text.slice(start, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(statusLine.split(' ')[1]);
  const body = text.slice(end + 4);
  if (status === 100 || Buffer.byteLength(body) < Number(headers['content-length'] ?? 0)) return null;
  return { status, headers, text: body, closed, json: () => JSON.parse(body) as Record<string, unknown> };
}
