import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SteadyRate } from '../support/loops.js';
import type { Scene } from './scene.js';

const CLIENTS = 64;
const BODY = 240_000;
const ASKED_PER_SECOND = 50;

/** p99 latency of other clients in milliseconds, and the number of bodies that the crowd sent. */
export interface Crowding {
  /** The longer of the values before and after: the speed of a shared machine varies. */
  readonly usualMs: number;
  readonly besideMs: number;
  readonly bodies: number;
  /** Bodies sent, including those refused for lack of capacity. */
  readonly requests: number;
}

/**
 * Clients that send only the most expensive bodies, one after the other, next to a client that reads the store's
 * profile.
 */
export async function crowdWithBodies(scene: Scene, seconds: number): Promise<Crowding> {
  const before = await latencies(scene, delay(seconds * 1_000));
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  const end = Date.now() + seconds * 1_000;
  let bodies = 0;
  let requests = 0;
  const client = async (n: number) => {
    for (; Date.now() < end; n++) {
      const status = await post(scene, agent, BODIES[n % BODIES.length] ?? '');
      requests++;
      if (status === 400) bodies++;
      else if (status !== 503) scene.violations.push(`a large body: answered ${status}`);
    }
  };
  const beside = await latencies(scene, Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n))));
  agent.destroy();
  const after = await latencies(scene, delay(seconds * 1_000));
  return { usualMs: Math.max(p99(before), p99(after)), besideMs: p99(beside), bodies, requests };
}

/** None of them is an order: the service only has to parse them. */
const BODIES = [
  bodyOf('[', '{},', '{}]'),
  bodyOf('[', '[],', '[]]'),
  `{"__proto__":1,"z":[${Array.from({ length: 15_000 }, (_, n) => `{"${n.toString(36)}":[]}`).join()}],"items":[]}`,
  bodyOf('"', 'x', '"'),
];

function bodyOf(start: string, unit: string, end: string): string {
  return `{"z":${start}${unit.repeat(BODY / unit.length)}${end},"items":[],"customer":{"name":"B"}}`;
}

async function latencies(scene: Scene, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const asking = new SteadyRate(ASKED_PER_SECOND, async () =>
    times.push((await scene.send('GET', '/v1/store')).tookMs),
  );
  await work.finally(() => asking.stop());
  return times;
}

function post({ service, store }: Scene, agent: http.Agent, body: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${store.key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${service.url}/v1/orders`, { method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject).end(body);
  });
}

function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}
