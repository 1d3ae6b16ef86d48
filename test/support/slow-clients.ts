import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

type Slowness = 'headers' | 'body' | 'never reads' | 'reads a little';

export const SLOWNESSES: readonly Slowness[] = ['headers', 'body', 'never reads', 'reads a little'];

interface SlowTarget {
  readonly port: number;
  readonly key: string;
  readonly largePath: string;
}

const DRIP_MS = 500;
/** The proxy sends them to the service one at a time. */
export const ASKED = 15;
/** 15 answers exceed the buffers of Linux for a connection: usually 4 MB, up to 8 MB for a client that reads slowly. */
export const LARGE_ANSWER_BYTES = 900 * 1024;
const ASK_EVERY_MS = 50;
/** A read takes at most 64 kB, so that an answer takes 84 s, longer than the service waits. */
const TICKS_TO_A_READ = 12;

/** @returns the milliseconds until the server disconnects it; `null` when it still is connected after `timeoutMs`. */
export async function slowClient(slowness: Slowness, target: SlowTarget, timeoutMs: number): Promise<number | null> {
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

  for (let tick = 1; !closed && performance.now() - start < timeoutMs; tick++) {
    await delay(DRIP_MS);
    if (closed) break;
    // Empty lines between requests have no meaning. A client that does not read notices the end only when it writes.
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
  await Promise.all([once(socket, 'close'), keepAsking(socket, target, 'Connection: close\r\n')]);
}

/** Sends requests one after the other, so that reading is slow and not the creation of many answers at once. */
async function keepAsking(socket: net.Socket, { key, largePath }: SlowTarget, last = ''): Promise<void> {
  for (let n = 1; n <= ASKED && !socket.destroyed; n++) {
    socket.write(`GET ${largePath} HTTP/1.1\r\n${authorizationOf(key)}${n === ASKED ? last : ''}\r\n`);
    await delay(ASK_EVERY_MS);
  }
}

function authorizationOf(key: string): string {
  return `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
}
