import net from 'node:net';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parses the body as JSON. Fails the test when it is not JSON. */
  json(): Record<string, unknown>;
  /** Whether the server ended the connection. */
  readonly closed: boolean;
}

export interface RawOptions {
  /** Time limit for the answer and the end of the connection after it. */
  readonly waitMs?: number;
  /** Return after a whole response, without waiting for the end of the connection. */
  readonly keep?: boolean;
}

/** Sends bytes unchanged, in one or several pieces, and returns the last response. */
export function sendRaw(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  { waitMs = 15_000, keep = true }: RawOptions = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let closed = false;
    const socket = net.connect(port, '127.0.0.1', () => {
      for (const piece of [bytes].flat()) socket.write(piece);
    });
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

/** The last response in the bytes, or null when it is incomplete or a `100 Continue`. */
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
