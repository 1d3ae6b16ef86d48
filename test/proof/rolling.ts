import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startBalancer } from './support/balancer.js';
import { SteadyRate } from './support/loops.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { anyItem, openStore, type StockedStore } from './support/shop.js';
import { orderBody } from './support/store-setup.js';

const SCALE = { full: { restarts: 20, perSecond: 100 }, quick: { restarts: 1, perSecond: 50 } };
/** A request in this many is an order, and every other order has no key. */
const ORDERS = 4;
/** Slightly less than the time for which the process continues to serve after SIGTERM. */
const LATE_MS = 4_600;
/** When a slow connection completes its request: after the process has begun to close. */
const SLOW_MS = 1_400;

export const rolling: Proof = { name: 'rolling', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig } = context;
  const { restarts, perSecond } = SCALE[form];
  const shop = await openStore(context, 10, [1_000_000]);
  const services = await Promise.all([rig.startService(), rig.startService()]);
  const balancer = await startBalancer(services.map(({ url }) => url));
  const traffic = trafficOf(shop, balancer.url, perSecond);
  const violations: string[] = [];
  try {
    for (let n = 0; n < restarts; n++) {
      const leaving = services[n % 2] as Service;
      const slow = delay(LATE_MS).then(() => onSlowLine(leaving.url, shop.store.key));
      const ending = await leaving.terminate();
      if (ending !== 0) violations.push(`restart ${n + 1}: the process ended with ${ending}`);
      const status = await slow;
      if (status !== 200) violations.push(`restart ${n + 1}: a request on a slow line was answered ${status}`);
      const next = (services[n % 2] = await rig.restart(leaving));
      await balancer.knows(next.url);
    }
  } finally {
    await traffic.stop();
    await balancer.close();
  }
  violations.push(...(await askOracle(shop, { services, expected: [200, 201] })));
  await Promise.all(services.map((service) => service.kill()));
  return { figures: `${restarts} restarts`, violations };
}

function trafficOf(shop: StockedStore, url: string, perSecond: number): SteadyRate {
  return new SteadyRate(perSecond, (n) => {
    const order = { body: orderBody([anyItem(shop)], 'rolling'), key: n % (2 * ORDERS) === 0 ? `rolling-${n}` : null };
    const read = { method: 'GET', path: n % 2 === 0 ? '/v1/products?limit=5' : '/v1/orders?limit=5' };
    return shop.buyers.send({ url }, n % ORDERS === 0 ? order : read);
  });
}

/** A request with a slow head on its own connection. @returns the status, or the reason why there is none. */
async function onSlowLine(url: string, key: string): Promise<number | string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  const answered = text(socket).catch((error: Error) => error.message);
  socket.write('GET /v1/products?limit=1 HTTP/1.1\r\nHost: shop\r\n');
  await delay(SLOW_MS);
  if (socket.writable) socket.write(`Authorization: Bearer ${key}\r\n\r\n`);
  const answer = await answered;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]) || answer || 'nothing';
}
