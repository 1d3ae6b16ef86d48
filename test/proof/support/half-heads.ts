import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The attacker's address. All of 127.0.0.0/8 is this machine, so other clients can use another one. */
const ATTACKER = '127.0.0.9';
const BATCH = 250;
const NEWCOMER_EVERY_MS = 100;

export interface Newcomers {
  readonly count: number;
  readonly keptOut: number;
  readonly slowestMs: number;
}

/** Holds connections with half a head from one address. @returns the results of other clients during that time. */
export async function besideHalfHeads(url: string, connections: number, lastsMs: number): Promise<Newcomers> {
  const port = Number(new URL(url).port);
  const sockets: net.Socket[] = [];
  for (let n = 0; n < connections; n += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, connections - n) }, () => halfHead(port));
    sockets.push(...(await Promise.all(batch)));
  }
  const asked: Promise<number | null>[] = [];
  for (const end = Date.now() + lastsMs; Date.now() < end; await delay(NEWCOMER_EVERY_MS)) asked.push(newcomer(url));
  const answers = await Promise.all(asked);
  for (const socket of sockets) socket.destroy();
  const answered = answers.filter((tookMs) => tookMs !== null);
  return { count: asked.length, keptOut: asked.length - answered.length, slowestMs: Math.max(0, ...answered) };
}

async function halfHead(port: number): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
  socket.on('error', () => undefined).resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Half: ');
  return socket;
}

function newcomer(url: string): Promise<number | null> {
  const start = Date.now();
  return new Promise((resolve) => {
    const request = http.get(`${url}/health/live`, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(Date.now() - start));
    });
    request.on('error', () => resolve(null));
  });
}
