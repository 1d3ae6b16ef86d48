import { setTimeout as delay } from 'node:timers/promises';
import { StoreFixture } from '../builders/store-fixture.js';
import { Buyers } from './support/buyers.js';
import type { Exchange } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { orderBody, stockShelves } from './support/store-setup.js';

const SCALE = {
  full: { revocations: 50, clients: 12, beforeMs: 400, afterMs: 600 },
  quick: { revocations: 4, clients: 6, beforeMs: 300, afterMs: 300 },
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
  promise: 'A revoked key is refused from the moment of its revocation, on every process',
  attack:
    '50 keys are revoked, deactivated, expired or deleted while clients use each of them on 2 processes, including for orders',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history } = context;
  const store = await StoreFixture.create(rig.database);
  const products = await stockShelves(store, 3, [1_000_000]);
  const services = await rig.pair();
  const keys: string[] = [];
  const violations: string[] = [];
  let [before, after, latestMs] = [0, 0, 0];
  for (let n = 0; n < SCALE[form].revocations; n++) {
    const key = await store.createKey();
    keys.push(key);
    const seen = await endInUse({ context, store, key, services, products, n });
    violations.push(...seen.violations);
    before += seen.before;
    after += seen.after;
    latestMs = Math.max(latestMs, seen.latestMs);
  }
  violations.push(...unexpectedAnswers(history.exchanges, [200, 201, ...REFUSED]));
  violations.push(...(await askOracle({ context, store, services })));
  for (const service of services) {
    if (keys.some((key) => service.log.includes(key))) violations.push(`a key is in the log of ${service.pid}`);
  }
  const succeeded = violations.filter((text) => text.startsWith('succeeded')).length;
  const figures =
    `${keys.length} keys ended on 2 processes, ${before} requests served before; of ${after} that started after the ` +
    `commit ${succeeded} succeeded (the last success started ${latestMs} ms before it)`;
  return { figures, violations };
}

interface Use {
  readonly context: ProofContext;
  readonly store: StoreFixture;
  readonly key: string;
  readonly services: readonly Service[];
  readonly products: readonly number[];
  readonly n: number;
}

/** Ends the key while clients use it continuously. */
async function endInUse({ context, store, key, services, products, n }: Use) {
  const { rig, history, random, form } = context;
  const { clients, beforeMs, afterMs } = SCALE[form];
  const buyers = new Buyers({ id: store.id, key }, history, random);
  const first = history.exchanges.length;
  let isOpen = true;
  const client = async (service: Service, index: number) => {
    for (let turn = 0; isOpen; turn++) {
      const body = orderBody([{ product_id: products[random(products.length)] ?? 0, quantity: 1 }], 'revoke');
      const isOrder = (turn + index) % 4 === 0;
      await buyers.send(service, isOrder ? { body } : { method: 'GET', path: '/v1/products?limit=2' });
    }
  };
  const load = services.flatMap((service) => Array.from({ length: clients }, (_, i) => client(service, i)));
  await delay(beforeMs + random(50));
  const [row] = await rig.database.query<{ id: string }>(
    'SELECT id FROM api_keys WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
    [store.id],
  );
  await rig.database.query(ENDINGS[n % ENDINGS.length] ?? '', [store.id, row?.id]);
  const committed = Date.now();
  await delay(afterMs);
  isOpen = false;
  await Promise.all(load);
  buyers.close();
  return judge(history.exchanges.slice(first), committed, services, `key ${n}`);
}

function judge(exchanges: readonly Exchange[], committed: number, services: readonly Service[], name: string) {
  const isServed = ({ status }: Exchange) => status === 200 || status === 201;
  // A request that started in the same millisecond may have started before.
  const after = exchanges.filter(({ at }) => at > committed);
  const served = exchanges.filter((exchange) => exchange.at <= committed && isServed(exchange));
  const violations = after
    .filter(({ status }) => !REFUSED.includes(status ?? 0))
    .map(({ at, method, path, status, error }) => {
      const what = `${method} ${path} ${status ?? error}`;
      return `${isServed({ status } as Exchange) ? 'succeeded' : 'failed'}: ${name}, ${what}, ${at - committed} ms after the commit`;
    });
  for (const { url, pid } of services) {
    const isHere = ({ service }: Exchange) => service === url;
    if (!served.some(isHere)) violations.push(`${name} was not used on process ${pid} before it was ended`);
    if (!after.some(isHere)) violations.push(`${name} was not used on process ${pid} after it was ended`);
  }
  const latestMs = committed - Math.max(0, ...served.map(({ at }) => at));
  return { violations, before: served.length, after: after.length, latestMs };
}
