import { setTimeout as delay } from 'node:timers/promises';
import { readKeyViolations } from './revoke/read-key.js';
import { rollInUse } from './revoke/roll-in-use.js';
import { isRefused, isServed, useKey } from './revoke/use-key.js';
import { holdsWait, waitWithKey } from './revoke/wait-with-key.js';
import type { Exchange } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { openShop, type Shop } from './support/shop.js';

const SCALE = {
  full: { revocations: 50, rolls: 5, clients: 12, beforeMs: 400, afterMs: 600 },
  quick: { revocations: 4, rolls: 1, clients: 6, beforeMs: 300, afterMs: 300 },
};
/** Ways to end a key, or all keys of a store, and to restore it. */
const ENDINGS = [
  `UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1 AND id = $2`,
  `UPDATE api_keys SET status = 'DEACTIVATED' WHERE store_id = $1 AND id = $2`,
  `UPDATE api_keys SET expires_at = now() WHERE store_id = $1 AND id = $2`,
  `DELETE FROM api_keys WHERE store_id = $1 AND id = $2`,
];
const REFUSED = [401, 403];

export const revoke: Proof = {
  name: 'revoke',
  promise:
    'A revoked key is refused from the moment of its revocation, a rolled key from its end, on every process; a read key never writes',
  attack:
    '50 keys are revoked, deactivated, expired or deleted while clients use each of them on 2 processes, including for orders and to wait for changes; 5 keys are rolled in use, and rolled again; a read key sends orders all the time',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, history } = context;
  const shop = await openShop(context, 3, [1_000_000]);
  const { store, services } = shop;
  const reader = useKey(shop, await store.createKey('live', 'read'), 1);
  const keys: string[] = [];
  const violations: string[] = [];
  let [before, after, latestMs] = [0, 0, 0];
  for (let n = 0; n < SCALE[form].revocations; n++) {
    const key = await store.createKey();
    keys.push(key);
    const seen = await endInUse(shop, key, n);
    violations.push(...seen.violations);
    before += seen.before;
    after += seen.after;
    latestMs = Math.max(latestMs, seen.latestMs);
  }
  for (let n = 0; n < SCALE[form].rolls; n++) {
    const key = await store.createKey();
    violations.push(...(await rollInUse(shop, { key, id: await newestKey(shop) }, SCALE[form])));
  }
  const read = await reader.stop();
  violations.push(...readKeyViolations(read, services));
  violations.push(...unexpectedAnswers(history.exchanges, [200, 201, ...REFUSED]));
  violations.push(...(await askOracle({ context, store, services })));
  for (const service of services) {
    if (keys.some((key) => service.log.includes(key))) violations.push(`a key is in the log of ${service.pid}`);
  }
  const succeeded = violations.filter((text) => text.startsWith('succeeded')).length;
  const figures =
    `${keys.length} keys ended on 2 processes, ${before} requests served before; of ${after} that started after the ` +
    `commit ${succeeded} succeeded (the last success started ${latestMs} ms before it); ${SCALE[form].rolls} rolled ` +
    `keys; ${read.filter(isRefused).length} orders of a read key refused`;
  return { figures, violations };
}

/** Ends the key while clients use it continuously. */
async function endInUse(shop: Shop, key: string, n: number) {
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
  const seen = judge(await use.stop(), committed, services, `key ${n}`);
  for (const wait of await waits) {
    if (wait.status === 'rejected') seen.violations.push(`key ${n}: ${String(wait.reason)}`);
    else if (wait.value.includes(late)) {
      seen.violations.push(`key ${n}: a waiting request read what changed after the end of its key`);
    }
  }
  return seen;
}

async function newestKey({ context, store }: Shop): Promise<string> {
  const [row] = await context.rig.database.query<{ id: string }>(
    'SELECT id FROM api_keys WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
    [store.id],
  );
  return row?.id ?? '';
}

function judge(exchanges: readonly Exchange[], committed: number, services: readonly Service[], name: string) {
  // A request that started in the same millisecond may have started before.
  const after = exchanges.filter(({ at }) => at > committed);
  const served = exchanges.filter((exchange) => exchange.at <= committed && isServed(exchange));
  const violations = after
    .filter((exchange) => !isRefused(exchange))
    .map(({ at, method, path, status, error }) => {
      const what = `${method} ${path} ${status ?? error}`;
      return `${isServed({ status }) ? 'succeeded' : 'failed'}: ${name}, ${what}, ${at - committed} ms after the commit`;
    });
  for (const { url, pid } of services) {
    const isHere = ({ service }: Exchange) => service === url;
    if (!served.some(isHere)) violations.push(`${name} was not used on process ${pid} before it was ended`);
    if (!after.some(isHere)) violations.push(`${name} was not used on process ${pid} after it was ended`);
  }
  const latestMs = committed - Math.max(0, ...served.map(({ at }) => at));
  return { violations, before: served.length, after: after.length, latestMs };
}
