import { execFile } from 'node:child_process';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StoreFixture } from '../builders/store-fixture.js';
import { ASKED, LARGE_ANSWER_BYTES, promptReader, SLOWNESSES, slowClient } from '../support/slow-clients.js';
import { besideHalfHeads, type Newcomers } from './support/half-heads.js';
import { HoldingsWatch } from './support/holdings.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { HAPROXY, startShippedProxy } from './support/shipped-proxy.js';
import { openStore, type StockedStore } from './support/shop.js';
import { orderBody } from './support/store-setup.js';

/** Prompt and slow clients alternate and request the same answers, because creating them costs time for both. */
const ROUNDS = 3;
/** Connections per kind and round. They arrive one after the other. */
const SENDERS = 168;
/** The number is smaller, so that the answers that they leave unread stay below the limit of the process. */
const READERS = 48;
const RAMP_MS = 30_000;
const WARM_UP_MS = 6_000;
const CLOSED_IN_MS = 20_000;
const TIMEOUT_MS = 25_000;
const GOOD_EVERY_MS = 20;
/** Below this, one time slice of another process can double the usual latency. */
const NOTICED_MS = 25;
/** The number exceeds what a process accepts. */
const HALF_HEADS = 4_500;
const HALF_HEADS_MS = 8_000;
const NEWCOMER_MS = 1_000;

/** Needs the proxy of docker/haproxy, so it runs by name only. */
export const slowProxy: Proof = {
  name: 'slow-proxy',
  // The timeouts of the process are in test/e2e/http.spec.ts.
  fullOnly: true,
  missing: async () => ((await haproxyVersion()) === null ? ['haproxy'] : []),
  run: async (context) => {
    const service = await context.rig.startService({ env: { TRUST_PROXY: '1' } });
    const proxy = await startShippedProxy(service);
    try {
      const first = [...(await tlsViolations(proxy.tlsUrl)), ...(await networkViolations(context, proxy.tlsUrl))];
      const { figures, violations } = await attack(context, service, proxy.url);
      const engine = `HAProxy ${(await haproxyVersion()) ?? '?'}`;
      return { figures, violations: [...first, ...violations], engine };
    } finally {
      await proxy.stop();
    }
  },
};

async function attack(context: ProofContext, service: Service, url: string): Promise<ProofOutcome> {
  const { history } = context;
  const shop = await openStore(context, 0, []);
  const { store, buyers } = shop;
  const large = await store.product({ columns: { description: 'x'.repeat(LARGE_ANSWER_BYTES) } });
  const mug = await store.product({ stock: 1_000_000 });
  const target = { port: Number(new URL(url).port), key: store.key, largePath: `/v1/products/${large}` };
  const good = (work: Promise<unknown>) => latencies(shop, url, mug, work);

  await good(delay(WARM_UP_MS));
  const holdings = await HoldingsWatch.begin(service);
  const droppedBefore = await droppedConnections(service);
  const prompt: number[] = [];
  const beside: number[] = [];
  const ends: (number | null)[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    prompt.push(percentile(await good(arrive(2 * READERS, () => promptReader(target))), 0.99));
    const clients = Promise.all(
      SLOWNESSES.map((kind) =>
        arrive(kind.includes('read') ? READERS : SENDERS, () => slowClient(kind, target, TIMEOUT_MS)),
      ),
    );
    beside.push(percentile(await good(clients), 0.99));
    ends.push(...(await clients).flat());
  }
  buyers.close();
  const dropped = await droppedConnections(service);
  const newcomers = await besideHalfHeads(url, HALF_HEADS, HALF_HEADS_MS);
  const keyless = HALF_HEADS + newcomers.count;
  const held = await holdings.violations(
    history.exchanges.length + (ends.length + ROUNDS * 2 * READERS) * (ASKED + 1) + keyless,
  );

  const [usual, attacked] = [percentile(prompt, 0.5), percentile(beside, 0.5)];
  const slowest = Math.max(...ends.map((end) => end ?? Infinity));
  const open = ends.filter((end) => end === null || end > CLOSED_IN_MS).length;
  const violations = [
    ...(open > 0 ? [`${open} of ${ends.length} slow clients were not disconnected within ${CLOSED_IN_MS} ms`] : []),
    ...(attacked > Math.max(2 * usual, NOTICED_MS)
      ? [`p99 of normal requests: ${attacked} ms, and ${usual} ms beside prompt readers`]
      : []),
    ...(dropped === droppedBefore ? [] : [`Slow clients reached another limit: ${dropped}`]),
    ...(newcomers.keptOut > 0 || newcomers.slowestMs > NEWCOMER_MS ? [besideHalves(newcomers)] : []),
    ...held,
    ...(await askOracle(shop, { services: [service], expected: [200, 201] })),
  ];
  const figures =
    `${ends.length} slow clients, closed after ${(slowest / 1_000).toFixed(1)} s at most; ` +
    `p99 of good requests ${beside.join(', ')} ms beside them, ` +
    `${prompt.join(', ')} ms beside prompt readers of the same answers; ${besideHalves(newcomers)}; ${holdings.figures}`;
  return { figures, violations };
}

async function haproxyVersion(): Promise<string | null> {
  const { stdout } = await promisify(execFile)(HAPROXY, ['-v']).catch(() => ({ stdout: '' }));
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
}

async function tlsViolations(url: string): Promise<string[]> {
  const answer = await overTls(`${url}/health/live`);
  return answer === '200, max-age=31536000' ? [] : [`over TLS: ${answer}`];
}

/** The proxy and the clients have addresses of this machine: a key is limited to that of one client. */
async function networkViolations({ rig }: ProofContext, url: string): Promise<string[]> {
  const store = await StoreFixture.create(rig.database);
  const [member, stranger] = ['127.0.0.2', '127.0.0.3'];
  await rig.database.query('UPDATE api_keys SET networks = ARRAY[$2::cidr] WHERE store_id = $1', [store.id, member]);
  const answers: string[] = [];
  for (const [localAddress, forged] of [
    [member, stranger],
    [stranger, member],
  ]) {
    const headers = { authorization: `Bearer ${store.key}`, 'x-forwarded-for': forged };
    answers.push(await overTls(`${url}/v1/store`, { localAddress, headers }));
  }
  const statuses = answers.map((answer) => answer.slice(0, 3)).join(', ');
  return statuses === '200, 403' ? [] : [`a key with networks, in them and outside of them: ${statuses}`];
}

function overTls(url: string, options: https.RequestOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    https
      .get(url, { ...options, rejectUnauthorized: false, agent: false }, ({ statusCode, headers }) =>
        resolve(`${statusCode}, ${headers['strict-transport-security']}`),
      )
      .on('error', (error) => resolve(error.message));
  });
}

async function droppedConnections({ url }: Service): Promise<string> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return (metrics.match(/^http_dropped_connections_total .*$/m) ?? [''])[0];
}

function besideHalves({ count, keptOut, slowestMs }: Newcomers): string {
  return `${keptOut} of ${count} newcomers kept out by half heads, the others answered in ${slowestMs} ms at most`;
}

function arrive<T>(count: number, connect: () => Promise<T>): Promise<T[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await delay((n * RAMP_MS) / count);
      return await connect();
    }),
  );
}

async function latencies(
  { buyers }: StockedStore,
  url: string,
  product: number,
  work: Promise<unknown>,
): Promise<number[]> {
  let isDone = false;
  void work.finally(() => (isDone = true));
  const asked: Promise<{ readonly tookMs: number }>[] = [];
  for (let n = 0; !isDone; n++) {
    const body = orderBody([{ product_id: product, quantity: 1 }], 'slow');
    const path = n % 2 === 0 ? '/v1/products?limit=20' : '/v1/orders?limit=20';
    asked.push(buyers.send({ url }, n % 5 === 0 ? { body } : { method: 'GET', path }));
    await delay(GOOD_EVERY_MS);
  }
  return (await Promise.all(asked)).map(({ tookMs }) => tookMs);
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
