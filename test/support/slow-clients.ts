import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How a client keeps a server waiting. */
export type Slowness = 'headers' | 'body' | 'never reads' | 'reads a little';

export const SLOWNESSES: readonly Slowness[] = ['headers', 'body', 'never reads', 'reads a little'];

export interface SlowTarget {
  readonly port: number;
  readonly key: string;
  /** A path whose answer has `LARGE_ANSWER_BYTES`. */
  readonly largePath: string;
}

const DRIP_MS = 500;
/** Within the 16 requests that a connection may have unanswered: one more, and the service resets it for that. */
export const ASKED = 15;
/** 15 of them are more than Linux buffers for a connection: 4 MB usually, up to 8 MB for a client that reads a little. */
export const LARGE_ANSWER_BYTES = 900 * 1024;
const ASK_EVERY_MS = 50;
/** One read is 64 kB at most: an answer takes 84 s then, longer than the service waits. */
const TICKS_TO_A_READ = 12;

/**
 * One slow client, which does nothing but go on.
 *
 * @returns after how many milliseconds the server hung up; `null` when it had not until `patienceMs` were over.
 */
export async function slowClient(slowness: Slowness, target: SlowTarget, patienceMs: number): Promise<number | null> {
  const { port, key } = target;
  const start = performance.now();
  let closed = false;
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  const authorization = authorizationOf(key);
  if (slowness === 'headers') socket.write(`GET /v1/store HTTP/1.1\r\n${authorization}X-Slow: `);
  else if (slowness === 'body') {
    const type = 'Content-Type: application/json\r\nContent-Length: 1000';
    socket.write(`POST /v1/orders HTTP/1.1\r\n${authorization}${type}\r\n\r\n{"notes":"`);
  } else void keepAsking(socket, target);
  const isReader = slowness === 'never reads' || slowness === 'reads a little';
  if (isReader) socket.pause();
  else socket.resume();

  for (let tick = 1; !closed && performance.now() - start < patienceMs; tick++) {
    await delay(DRIP_MS);
    if (closed) break;
    // Between requests, empty lines mean nothing; who does not read learns of the end by writing only.
    socket.write(isReader ? '\r\n' : 'a');
    if (slowness === 'reads a little' && tick % TICKS_TO_A_READ === 0)
      socket.once('data', () => socket.pause()).resume();
  }
  socket.destroy();
  return closed ? performance.now() - start : null;
}

/** Sends what a slow reader sends, but reads each answer at once. */
export async function promptReader(target: SlowTarget): Promise<void> {
  const socket = net.connect(target.port, '127.0.0.1').resume();
  const closed = once(socket, 'close');
  await keepAsking(socket, target);
  socket.end(); // the service answers what it has received, then closes
  await closed;
}

/** One after the other, so that what is slow is the reading, and not the making of many answers at once. */
async function keepAsking(socket: net.Socket, { key, largePath }: SlowTarget): Promise<void> {
  for (let n = 0; n < ASKED && !socket.destroyed; n++) {
    socket.write(`GET ${largePath} HTTP/1.1\r\n${authorizationOf(key)}\r\n`);
    await delay(ASK_EVERY_MS);
  }
}

function authorizationOf(key: string): string {
  return `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
}
