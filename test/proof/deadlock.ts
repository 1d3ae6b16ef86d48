import { askOracle } from './support/oracle.js';
import { deadlocksIn } from './support/oracle/deadlocks.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openShop } from './support/shop.js';
import { inParallel, orderBody, shuffled } from './support/store-setup.js';

const ORDERS = { full: 5_000, quick: 120 };
const WORKERS = 40;
const PRODUCTS = 40;
const LINES = 20;
/** More than all orders need, so that every order waits for the same rows and none is rejected. */
const BINS = [100_000, 100_000];

export const deadlock: Proof = { name: 'deadlock', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history, random } = context;
  const orders = ORDERS[form];
  const shop = await openShop(context, PRODUCTS, BINS);
  const { products, services, buyers } = shop;
  const before = await deadlocksIn(rig.database);

  const tasks = Array.from({ length: orders }, (_, n) => {
    const chosen = shuffled(products, random).slice(0, LINES);
    // These ids go from the highest down, opposite to the lock order.
    const ids = n % 2 === 0 ? chosen.sort((a, b) => b - a) : chosen;
    return { n, items: ids.map((product_id) => ({ product_id, quantity: 1 + random(3) })) };
  });
  const start = Date.now();
  await inParallel(WORKERS, tasks, ({ n, items }) =>
    buyers.insist(services, orderBody(items, 'deadlock'), { key: `deadlock-${n}` }),
  );
  const perSecond = Math.round((orders * 1_000) / (Date.now() - start));

  const created = history.count(201);
  const violations = created === orders ? [] : [`${created} of ${orders} orders were created`];
  violations.push(...(await askOracle(shop, { services, expected: [201, 409, 503] })));
  const deadlocks = (await deadlocksIn(rig.database)) - before;
  if (deadlocks > 0) violations.push(`PostgreSQL counted ${deadlocks} deadlocks`);
  return { figures: `${orders} orders of ${LINES} lines by ${WORKERS} workers (${perSecond}/s)`, violations };
}
