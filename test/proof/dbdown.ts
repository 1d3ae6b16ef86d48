import { setTimeout as delay } from 'node:timers/promises';
import { crowdedDatabase } from '../support/crowded-database.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { FULL, troublesOf, type Trouble } from './dbdown/troubles.js';
import { judge } from './dbdown/verdict.js';
import { Loops } from './support/loops.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { timeToRecover } from './support/recovery.js';
import type { Service } from './support/service.js';
import { anyItem, openStore, type StockedStore } from './support/shop.js';
import { oneOf, orderBody } from './support/store-setup.js';

/** The size is below the number of concurrent requests. */
const POOL_SIZE = 4;
/** Connections that a full PostgreSQL leaves to a service: one is for its health check. */
const CROWDED = 3;
const RECOVERY_LIMIT_MS = 5_000;
const BEFORE_MS = { full: 1_000, quick: 200 };
/** Clients per kind and service: more than there are connections in its pool. */
const BUYERS = 6;
const READERS = 3;
const REST_MS = 60;
const PROBE_MS = 200;
const PATHS = ['/v1/products?limit=5', '/v1/orders?limit=5', '/v1/store'];
/** An order in this many has no key. */
const KEYLESS = 4;

export const dbdown: Proof = { name: 'dbdown', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, random } = context;
  const shop = await openStore(context, 5, [1_000_000]);
  const resets = { oneIn: 0 };
  const proxy = await startTcpProxy(rig.database.url, {
    onClientData: () => (resets.oneIn > 0 && random(resets.oneIn) === 0 ? 'cut' : 'pass'),
  });
  try {
    const env = { DATABASE_POOL_SIZE: String(POOL_SIZE) };
    const proxied = await rig.startService({ databaseUrl: proxy.url, env });
    const services = [proxied, ...(form === 'full' ? [await rig.startService({ env })] : [])];

    const seen = [];
    for (const [n, trouble] of troublesOf(context, proxy, resets).entries()) {
      seen.push(await suffer(shop, trouble, trouble.hitsAll ? services : [proxied], `trouble-${n}`));
    }
    if (form === 'full') {
      const crowded = await rig.startService({ databaseUrl: await crowdedDatabase(rig.database, CROWDED), env });
      seen.push(await suffer(shop, FULL, [crowded], 'trouble-full'));
    }
    const violations = seen.flatMap((outcome) => outcome.violations);
    violations.push(...(await askOracle(shop, { services, poolSize: POOL_SIZE })));
    return { figures: seen.map(({ figures }) => figures).join('; '), violations };
  } finally {
    await proxy.close();
  }
}

async function suffer(shop: StockedStore, trouble: Trouble, hit: readonly Service[], label: string) {
  const { form, history } = shop.context;
  const seenBefore = history.exchanges.length;
  const loops = hit.flatMap((service) => trafficTo(service, shop, label));
  const stop = () => Promise.all(loops.map((loop) => loop.stop()));
  try {
    await delay(BEFORE_MS[form]);
    const from = Date.now();
    await trouble.begin();
    await delay(trouble.lastsMs);
    const to = Date.now();
    await trouble.end();
    const recoveries = hit.map((service, n) => timeToRecover(shop, service, `${label}-recovery-${n}`));
    const recovery = Math.max(...(await Promise.all(recoveries)));
    await stop();
    const { violations, figures } = judge(form, trouble, { from, to }, history.exchanges.slice(seenBefore));
    const late = recovery >= RECOVERY_LIMIT_MS ? [`${trouble.name}: recovered only after ${recovery} ms`] : [];
    return { violations: [...violations, ...late], figures: `${figures}, back in ${recovery} ms` };
  } finally {
    await stop();
  }
}

/** Clients never retry: each answer is judged by itself. @param label unique: it begins the keys. */
function trafficTo(service: Service, shop: StockedStore, label: string): readonly Loops[] {
  const { buyers, context } = shop;
  const { random } = context;
  let serial = 0;
  const order = () => {
    const n = ++serial;
    const key = n % KEYLESS === 0 ? null : `${label}-${service.pid}-${n}`;
    return buyers.send(service, { body: orderBody([anyItem(shop)], label), key });
  };
  const read = (path: string) => buyers.send(service, { method: 'GET', path });
  return [
    new Loops(random, BUYERS, REST_MS, order),
    new Loops(random, READERS, REST_MS, () => read(oneOf(PATHS, random))),
    ...['/health/live', '/health/ready'].map((path) => new Loops(random, 1, PROBE_MS, () => read(path))),
  ];
}
