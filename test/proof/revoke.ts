import { setTimeout as delay } from 'node:timers/promises';
import { ENDINGS, newestKey, type Ending } from './revoke/endings.js';
import { rollInUse } from './revoke/roll-in-use.js';
import { isRefused, isServed, told, unusedProcesses, useKey } from './revoke/use-key.js';
import { holdsWait, waitWithKey } from './revoke/wait-with-key.js';
import type { Exchange } from './support/history.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { openShop, type Shop } from './support/shop.js';

const SCALE = {
  full: { revocations: 50, rolls: 5, clients: 12, beforeMs: 400, afterMs: 600 },
  quick: { revocations: 7, rolls: 1, clients: 6, beforeMs: 300, afterMs: 300 },
};
export const revoke: Proof = { name: 'revoke', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { revocations, rolls } = SCALE[context.form];
  const shop = await openShop(context, 3, [1_000_000]);
  const { store, services } = shop;
  const reader = useKey(shop, await store.createKey('live', 'read'), 1);
  const keys: string[] = [];
  const violations: string[] = [];
  for (let n = 0; n < revocations; n++) {
    const ending = await ENDINGS[n % ENDINGS.length]?.(shop);
    if (!ending) continue;
    keys.push(ending.secret);
    violations.push(...(await endInUse(shop, ending)).map((text) => `${text}, of key ${n}`));
  }
  for (let n = 0; n < rolls; n++) {
    const key = await store.createKey();
    violations.push(...(await rollInUse(shop, { key, id: await newestKey(shop) }, SCALE[context.form])));
  }
  violations.push(...readKeyViolations(await reader.stop(), services));
  violations.push(...(await askOracle(shop, { services, expected: [200, 201, 401, 403] })));
  for (const service of services) {
    if (keys.some((key) => service.log.includes(key))) violations.push(`a key is in the log of ${service.pid}`);
  }
  return { figures: `${revocations} keys and sessions ended on 2 processes; ${rolls} rolled keys`, violations };
}

async function endInUse(shop: Shop, { secret, end, mayRead = false }: Ending): Promise<string[]> {
  const { context, store, services } = shop;
  const { random, form } = context;
  const { clients, beforeMs, afterMs } = SCALE[form];
  const use = useKey(shop, secret, clients);
  const waiting = mayRead ? [] : services;
  const waits = Promise.allSettled(waiting.map((service) => waitWithKey(service, secret)));
  await Promise.all([use.served(), ...waiting.map(holdsWait)]);
  await delay(beforeMs + random(50));
  await end();
  const committed = Date.now();
  const late = String(await store.brand());
  await delay(afterMs);
  const exchanges = await use.stop();
  const ended = mayRead ? exchanges.filter(({ method }) => method === 'POST') : exchanges;
  const violations = judge(ended, committed, services);
  if (ended !== exchanges)
    violations.push(
      ...readViolations(
        exchanges.filter((one) => !ended.includes(one)),
        committed,
      ),
    );
  for (const wait of await waits) {
    if (wait.status === 'rejected') violations.push(String(wait.reason));
    else if (wait.value.includes(late)) {
      violations.push('a waiting request read what changed after the end of its key');
    }
  }
  return violations;
}

function judge(exchanges: readonly Exchange[], committed: number, services: readonly Service[]): string[] {
  // A request that started in the same millisecond may have started before.
  const after = exchanges.filter(({ at }) => at > committed);
  const served = exchanges.filter((exchange) => exchange.at <= committed && isServed(exchange));
  const unused = unusedProcesses(services, served, after);
  return [
    ...after
      .filter((exchange) => !isRefused(exchange))
      .map((exchange) => `${isServed(exchange) ? 'succeeded' : 'failed'}: ${told(exchange, committed)}`),
    ...unused.map(({ pid }) => `it was not used on process ${pid} before and after its end`),
  ];
}

/** A demotion takes nothing else away. */
function readViolations(reads: readonly Exchange[], committed: number): string[] {
  return reads.filter((one) => !isServed(one)).map((one) => `a viewer reads: ${told(one, committed)}`);
}

function readKeyViolations(exchanges: readonly Exchange[], services: readonly Service[]): string[] {
  const [reads, orders] = ['GET', 'POST'].map((wanted) => exchanges.filter(({ method }) => method === wanted));
  return [
    ...exchanges
      .filter(({ method, status, headers }) =>
        method === 'GET' ? status !== 200 : status !== 403 || headers['x-error-code'] !== 'insufficient_scope',
      )
      .map(({ method, path, status, error }) => `a read key: ${method} ${path} ${status ?? error}`),
    ...unusedProcesses(services, reads ?? [], orders ?? []).map(({ pid }) => `the read key was not used on ${pid}`),
  ];
}
