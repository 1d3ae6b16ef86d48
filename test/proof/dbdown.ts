import { setTimeout as delay } from 'node:timers/promises';
import { crowdedDatabase } from '../support/crowded-database.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { Traffic } from './support/dbdown/traffic.js';
import * as troubles from './support/dbdown/trouble.js';
import type { Trouble } from './support/dbdown/trouble.js';
import { judge, type Experience } from './support/dbdown/verdict.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { timeToRecover } from './support/recovery.js';
import type { Service } from './support/service.js';
import { openStore, type StockedStore } from './support/shop.js';

/** Fewer than the number of concurrent requests. */
const POOL_SIZE = 4;
/** Connections that a full PostgreSQL leaves to a service: one is for its health check. */
const CROWDED = 3;
const FULL_MS = 10_000;
const RECOVERY_LIMIT_MS = 5_000;
/** Duration of undisturbed traffic before each fault. */
const BEFORE_MS = { full: 1_000, quick: 200 };

export const dbdown: Proof = {
  name: 'dbdown',
  promise:
    'Without its database the service returns 503 in under 3 s; once the database is back, it recovers within 5 s without a restart',
  attack:
    'PostgreSQL stopped for 30 s; sessions terminated at random; the pool exhausted by locked tables; latency, resets, cuts and freezes of the connections, including a freeze of only the open ones; a PostgreSQL that is full when two of four connections are open: then no 503 at all',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, random } = context;
  const shop = await openStore(context, 5, [1_000_000]);
  const { store, buyers } = shop;
  const resets = { oneIn: 0 };
  const proxy = await startTcpProxy(rig.database.url, {
    onClientData: () => (resets.oneIn > 0 && random(resets.oneIn) === 0 ? 'cut' : 'pass'),
  });
  try {
    const env = { DATABASE_POOL_SIZE: String(POOL_SIZE) };
    const proxied = await rig.startService({ databaseUrl: proxy.url, env });
    const direct = form === 'full' ? await rig.startService({ env }) : null;
    const services = direct ? [proxied, direct] : [proxied];

    const figures: string[] = [];
    const violations: string[] = [];
    for (const [n, trouble] of troublesOf(context, proxy, resets).entries()) {
      const hit = trouble.hitsAll ? services : [proxied];
      const seen = await suffer(shop, trouble, hit, `trouble-${n}`);
      figures.push(seen.figures);
      violations.push(...seen.violations);
    }
    if (form === 'full') {
      const crowded = await rig.startService({ databaseUrl: await crowdedDatabase(rig.database, CROWDED), env });
      const seen = await suffer(shop, troubles.full(FULL_MS), [crowded], 'trouble-full');
      figures.push(seen.figures);
      violations.push(...seen.violations);
    }
    buyers.close();
    violations.push(...(await askOracle({ context, store, services, poolSize: POOL_SIZE })));
    return { figures: `${figures.join('; ')}; ${violations.length} violations`, violations };
  } finally {
    await proxy.close();
  }
}

type Proxy = Awaited<ReturnType<typeof startTcpProxy>>;

function troublesOf({ form, rig, random }: ProofContext, proxy: Proxy, resets: { oneIn: number }): Trouble[] {
  const { database, server } = rig;
  const { stopped, terminated, locked, slow, reset, cut, frozen, forgotten } = troubles;
  // Specs test the others: silent-commit, silent-connections and crowded-database.
  if (form === 'quick') return [cut(proxy, 800), terminated(database, random, 800)];
  if (!server) throw new Error('dbdown stops PostgreSQL, so it needs its own server: run it without DATABASE_URL');
  return [
    stopped(server, 30_000),
    terminated(database, random, 15_000),
    locked(database, 'api_keys', 8_000),
    locked(database, 'stock', 8_000),
    locked(database, 'orders', 8_000),
    slow(proxy, 40, 8_000),
    slow(proxy, 400, 8_000),
    reset(resets, 20, 10_000),
    cut(proxy, 5_000),
    frozen(proxy, 12_000),
    frozen(proxy, 2_000),
    forgotten(proxy, RECOVERY_LIMIT_MS, 10_000),
  ];
}

/** @param hit the services that the fault affects. */
async function suffer(shop: StockedStore, trouble: Trouble, hit: readonly Service[], label: string) {
  const { form, history } = shop.context;
  const seenBefore = history.exchanges.length;
  const traffic = new Traffic(shop, hit, label);
  try {
    await delay(BEFORE_MS[form]);
    const from = Date.now();
    await trouble.begin();
    await delay(trouble.lastsMs);
    const to = Date.now();
    await trouble.end();
    const recoveries = await Promise.all(
      hit.map((service, n) => timeToRecover(shop, service, `${label}-recovery-${n}`)),
    );
    await traffic.stop();
    const experience = judge(form, trouble, { from, to }, history.exchanges.slice(seenBefore));
    return report(trouble, experience, Math.max(...recoveries));
  } finally {
    await traffic.stop();
  }
}

function report(trouble: Trouble, experience: Experience, recovery: number) {
  const { violations, answered, unavailable, slowestMs, slowestSuccessMs, caughtMs } = experience;
  const late = recovery >= RECOVERY_LIMIT_MS ? [`${trouble.name}: recovered only after ${recovery} ms`] : [];
  const caught = caughtMs > 0 ? `, orders caught at work ${caughtMs} ms` : '';
  const figures =
    `${trouble.name}: ${answered} answered (slowest ${slowestSuccessMs} ms), ${unavailable} × 503 ` +
    `(slowest ${slowestMs} ms${caught}), back in ${recovery} ms`;
  return { violations: [...violations, ...late], figures };
}
