import { cutCommits } from './idempotency/cut-commits.js';
import { refuseLate } from './idempotency/late-refusals.js';
import { raceReferences } from './idempotency/references.js';
import { withSlowCommits } from './idempotency/slow-commits.js';
import { raceTwins } from './idempotency/twins.js';
import { operate } from './support/cli.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { anyItem, openShop, type Shop } from './support/shop.js';
import { orderBody } from './support/store-setup.js';

const SCALE = {
  full: { keys: 200, stalled: 4, twins: 30, cuts: 200, late: 40, references: 200 },
  quick: { keys: 8, stalled: 0, twins: 15, cuts: 12, late: 4, references: 8 },
};

export const idempotency: Proof = { name: 'idempotency', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { keys, stalled, twins, cuts, late, references } = SCALE[context.form];
  const shop = await openShop(context, 1, [1_000_000, 1_000_000]);

  const { race, referred, cut } = await withSlowCommits(context.rig.database, async () => ({
    race: await raceTwins(shop, { keys, stalled, twins }),
    referred: await raceReferences(shop, references, twins),
    cut: await cutCommits(shop, cuts),
  }));
  const violations = [...race, ...referred.violations, ...cut.violations, ...(await refuseLate(shop, late))];
  const expected = [200, 201, 409, 422, 503, null];
  violations.push(...(await askOracle(shop, { services: shop.services, expected })));
  const ofTwins = (await countOrders(shop)) - references - cut.orders - late;
  if (ofTwins !== keys) violations.push(`${ofTwins} orders by ${keys} keys`);
  violations.push(...(await repeatErased(shop)));

  const figures =
    `${keys} keys × ${twins} twins; ${references} references × ${twins} orders: ${referred.refused} refusals that name ` +
    `the one order, ${referred.lost} answers lost; ${cuts} COMMITs cut; ${late} repeats that were refusable by then`;
  return { figures, violations };
}

/** Erases a person between an order and its repeat, which must get the first answer and place nothing. */
async function repeatErased(shop: Shop): Promise<string[]> {
  const { context, store, buyers, services } = shop;
  const key = 'erased';
  const body = orderBody([anyItem(shop)], key);
  const first = await buyers.send(services[0], { body, key });
  const before = await countOrders(shop);
  const email = String(body.customer['email']);
  await operate(context.rig.database.url, 'customers', 'erase', email, '--store', store.subdomain, '--force', '--yes');
  const repeat = await buyers.send(services[1], { body, key });
  const placed = (await countOrders(shop)) - before;
  buyers.close();
  return [
    ...(placed > 0 ? [`the repeat of an erased order placed ${placed} orders`] : []),
    ...(repeat.bytes.equals(first.bytes) ? [] : [`the repeat of an erased order was answered ${repeat.status}`]),
  ];
}

async function countOrders({ context, store }: Shop): Promise<number> {
  return (await context.rig.database.query('SELECT FROM orders WHERE store_id = $1', [store.id])).length;
}
