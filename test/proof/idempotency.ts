import { cutCommits } from './idempotency/cut-commits.js';
import { repeatErased } from './idempotency/erased.js';
import { refuseLate } from './idempotency/late-refusals.js';
import { raceReferences } from './idempotency/references.js';
import { withSlowCommits } from './idempotency/slow-commits.js';
import { raceTwins } from './idempotency/twins.js';
import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openShop } from './support/shop.js';

const SCALE = {
  full: { keys: 200, stalled: 4, twins: 30, cuts: 200, late: 40, references: 200 },
  quick: { keys: 8, stalled: 0, twins: 15, cuts: 12, late: 4, references: 8 },
};

export const idempotency: Proof = {
  name: 'idempotency',
  promise:
    'Each Idempotency-Key places one order, and every response of one version to it is the same, byte for byte; each external reference places one order, and every refusal names it',
  attack:
    '30 concurrent requests with each of 200 keys on 2 processes, some with a different body; connections cut at 200 fast and slow COMMITs, with retries by the client; repeated orders while the first waits for stock and its product is archived or its customer blocked, and after the person was erased; 30 concurrent orders with each of 200 external references, with lost answers',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history } = context;
  const { keys, stalled, twins, cuts, late: rounds, references } = SCALE[form];
  const shop = await openShop(context, 1, [1_000_000, 1_000_000]);
  const { store, services, buyers } = shop;

  const { race, retriesOfTwins, referred, cut } = await withSlowCommits(rig.database, async () => ({
    race: await raceTwins(shop, { keys, stalled, twins }),
    retriesOfTwins: retriesOf(history),
    referred: await raceReferences(shop, references, twins),
    cut: await cutCommits(shop, cuts),
  }));
  const late = await refuseLate(shop, rounds);
  const violations = [...race.violations, ...referred.violations, ...cut.violations, ...late.violations];
  violations.push(...unexpectedAnswers(history.exchanges, [200, 201, 409, 422, 503, null]));
  violations.push(...(await askOracle({ context, store, services })));
  const orders = await rig.database.query('SELECT FROM orders WHERE store_id = $1', [store.id]);
  const ofTwins = orders.length - referred.orders - cut.orders - late.orders;
  if (ofTwins !== keys) violations.push(`${ofTwins} orders by ${keys} keys`);

  violations.push(...(await repeatErased(shop)));
  buyers.close();

  const figures =
    `${keys} keys × ${twins} twins: ${ofTwins} orders, ${race.replays} equal replays, ${race.refused} other bodies × 422, ` +
    `${retriesOfTwins}; ${referred.figures}; ${cut.figures}; ${late.figures}; 1 repeat after an erasure; ${violations.length} violations`;
  return { figures, violations };
}
