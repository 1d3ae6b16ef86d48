import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { deadlocksIn } from './support/oracle/deadlocks.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openShop } from './support/shop.js';
import { inParallel, orderBody, shuffled } from './support/store-setup.js';

const SCALE = { full: { orders: 5_000, workers: 40 }, quick: { orders: 120, workers: 40 } };
const PRODUCTS = 40;
const LINES = 20;
/** More than all orders need, so that every order waits for the same rows and none is rejected. */
const BINS = [100_000, 100_000];

export const deadlock: Proof = {
  name: 'deadlock',
  promise: 'Orders that share products wait for each other and never deadlock',
  attack: '40 workers place 5,000 orders of 20 lines over 40 products, half of them reversed, half shuffled',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history, random } = context;
  const { orders, workers } = SCALE[form];
  const { store, products, services, buyers } = await openShop(context, PRODUCTS, BINS);
  const before = await deadlocksIn(rig.database);

  const tasks = Array.from({ length: orders }, (_, n) => {
    const ids = n % 2 === 0 ? reversed(shuffled(products, random)) : shuffled(products, random);
    return { n, items: ids.slice(0, LINES).map((product_id) => ({ product_id, quantity: 1 + random(3) })) };
  });
  const start = Date.now();
  await inParallel(workers, tasks, ({ n, items }) =>
    buyers.insist(services, orderBody(items, 'deadlock'), { key: `deadlock-${n}` }),
  );
  const perSecond = Math.round((orders * 1_000) / (Date.now() - start));
  buyers.close();

  const created = history.count(201);
  const violations = [...unexpectedAnswers(history.exchanges, [201, 409, 503])];
  if (created !== orders) violations.push(`${created} of ${orders} orders were created`);
  violations.push(...(await askOracle({ context, store, services })));
  const deadlocks = (await deadlocksIn(rig.database)) - before;
  if (deadlocks > 0) violations.push(`PostgreSQL counted ${deadlocks} deadlocks`);

  const figures =
    `${orders} orders of ${LINES} lines by ${workers} workers (${perSecond}/s): ` +
    `${created} × 201, ${deadlocks} deadlocks, ${orders - created} lost; ${retriesOf(history)}`;
  return { figures, violations };
}

/** Half of the orders name their products from the highest id down: the reverse of the lock order. */
function reversed(ids: readonly number[]): number[] {
  return ids.slice(0, LINES).sort((a, b) => b - a);
}
