import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startBalancer } from './support/balancer.js';
import type { Buyers } from './support/buyers.js';
import type { History } from './support/history.js';
import { SteadyRate } from './support/loops.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { openStore } from './support/shop.js';
import { orderBody } from './support/store-setup.js';

const SCALE = { full: { restarts: 20, perSecond: 100 }, quick: { restarts: 1, perSecond: 50 } };
/** One request in this many is an order, every other one of these without a key. */
const ORDERS = 4;
/** Slightly less than the time for which the process continues to serve after SIGTERM. */
const LATE_MS = 4_600;
/** When a slow connection completes its request: after the process has begun to close. */
const SLOW_MS = 1_400;

export const rolling: Proof = {
  name: 'rolling',
  promise: 'A deployment fails no request: the processes are replaced one after the other under load',
  attack:
    '2 processes behind a balancer that never retries, SIGTERM in turn, 20 restarts, 100 requests/s on kept connections, orders among them; and requests on slow connections that begin before a process closes and end after it',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history } = context;
  const { restarts, perSecond } = SCALE[form];
  const { store, products, buyers } = await openStore(context, 10, [1_000_000]);
  const services = await Promise.all([rig.startService(), rig.startService()]);
  const balancer = await startBalancer(services.map(({ url }) => url));
  const traffic = trafficOf(buyers, balancer.url, products, perSecond);
  const violations: string[] = [];
  let slowLines = 0;
  try {
    for (let n = 0; n < restarts; n++) {
      const leaving = services[n % 2] as Service;
      const slow = delay(LATE_MS).then(() => onSlowLine(leaving.url, store.key));
      const ending = await leaving.terminate();
      if (ending !== 0) violations.push(`restart ${n + 1}: the process ended with ${ending}`);
      const status = await slow;
      if (status === 200) slowLines++;
      else violations.push(`restart ${n + 1}: a request on a slow line was answered ${status}`);
      const next = (services[n % 2] = await rig.restart(leaving));
      await balancer.knows(next.url);
    }
  } finally {
    await traffic.stop();
    buyers.close();
    await balancer.close();
  }
  violations.push(...failures(history), ...(await askOracle({ context, store, services })));
  await Promise.all(services.map((service) => service.kill()));

  const total = history.exchanges.length;
  const figures =
    `${restarts} restarts, each process ended with 0: ${total} requests (${history.orders(store.id).length} orders), ` +
    `${failures(history).length} failed; ${slowLines} on slow lines answered`;
  return { figures, violations };
}

/** Reads and orders, some of these with a key. */
function trafficOf(buyers: Buyers, url: string, products: readonly number[], perSecond: number): SteadyRate {
  return new SteadyRate(perSecond, (n) => {
    const items = [{ product_id: products[n % products.length] ?? 0, quantity: 1 }];
    const order = { body: orderBody(items, 'rolling'), key: n % (2 * ORDERS) === 0 ? `rolling-${n}` : null };
    const read = { method: 'GET', path: n % 2 === 0 ? '/v1/products?limit=5' : '/v1/orders?limit=5' };
    return buyers.send({ url }, n % ORDERS === 0 ? order : read);
  });
}

/** A request with a slow head on its own connection. @returns the status, or the reason why there is none. */
async function onSlowLine(url: string, key: string): Promise<number | string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  const text = new Promise<string>((resolve) => {
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', (error) => resolve(error.message));
    socket.on('close', () => resolve(received));
  });
  socket.write('GET /v1/products?limit=1 HTTP/1.1\r\nHost: shop\r\n');
  await delay(SLOW_MS);
  if (socket.writable) socket.write(`Authorization: Bearer ${key}\r\n\r\n`);
  const answer = await text;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]) || answer || 'nothing';
}

function failures({ exchanges }: History): string[] {
  return exchanges
    .filter(({ status }) => status !== 200 && status !== 201)
    .map(({ method, path, status, error, bytes }) => `${method} ${path}: ${status ?? error} ${bytes.toString()}`);
}
