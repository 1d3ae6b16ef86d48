import { setTimeout as delay } from 'node:timers/promises';
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
  quick: { revocations: 4, rolls: 1, clients: 6, beforeMs: 300, afterMs: 300 },
};
const ENDINGS = [
  `UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1 AND id = $2`,
  `UPDATE api_keys SET status = 'DEACTIVATED' WHERE store_id = $1 AND id = $2`,
  `UPDATE api_keys SET expires_at = now() WHERE store_id = $1 AND id = $2`,
  `DELETE FROM api_keys WHERE store_id = $1 AND id = $2`,
];

export const revoke: Proof = { name: 'revoke', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { revocations, rolls } = SCALE[context.form];
  const shop = await openShop(context, 3, [1_000_000]);
  const { store, services } = shop;
  const reader = useKey(shop, await store.createKey('live', 'read'), 1);
  const keys: string[] = [];
  const violations: string[] = [];
  for (let n = 0; n < revocations; n++) {
    keys.push(await store.createKey());
    const found = await endInUse(shop, keys[n] ?? '', n);
    violations.push(...found.map((text) => `${text}, of key ${n}`));
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
  return { figures: `${revocations} keys ended on 2 processes; ${rolls} rolled keys`, violations };
}

async function endInUse(shop: Shop, key: string, n: number): Promise<string[]> {
  const { context, store, services } = shop;
  const { rig, random, form } = context;
  const { clients, beforeMs, afterMs } = SCALE[form];
  const use = useKey(shop, key, clients);
  const waits = Promise.allSettled(services.map((service) => waitWithKey(service, key)));
  await Promise.all([use.served(), ...services.map(holdsWait)]);
  await delay(beforeMs + random(50));
  const id = await newestKey(shop);
  await rig.database.query(ENDINGS[n % ENDINGS.length] ?? '', [store.id, id]);
  const committed = Date.now();
  const late = String(await store.brand());
  await delay(afterMs);
  const violations = judge(await use.stop(), committed, services);
  for (const wait of await waits) {
    if (wait.status === 'rejected') violations.push(String(wait.reason));
    else if (wait.value.includes(late)) {
      violations.push('a waiting request read what changed after the end of its key');
    }
  }
  return violations;
}

async function newestKey({ context, store }: Shop): Promise<string> {
  const [row] = await context.rig.database.query<{ id: string }>(
    'SELECT id FROM api_keys WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
    [store.id],
  );
  return row?.id ?? '';
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
