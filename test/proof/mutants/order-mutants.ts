import { mutant, type Mutant } from './mutant.js';

export const ORDER_MUTANTS: readonly Mutant[] = [
  // The CHECK does not notice it: no quantity becomes negative although far more is sold than the opening stock.
  mutant(
    'stock is read without a lock, then written',
    'oversell',
    /opening \d+ is not \d+ in bins|holds \d+, its ledger/,
    ['stock-lock'],
  ),
  mutant('demand not summed', 'oversell', /^ *split round \d+: .*expected 16 × 201/, [
    'summed-demand',
    'const demand = demands.find((candidate) => sameStock(candidate, line) && candidate.lines.includes(index));',
  ]),
  mutant(
    'an order has any quantity',
    'test/contracts/pricing.spec.ts',
    /FAIL .*The quantity of a unit > follows the rule of the catalog/,
    ['quantity-rule', 'return quantity > 0 || minQuantity > step;'],
  ),
  mutant(
    'an order has the prices of another day than its date',
    'test/e2e/customer-prices.spec.ts -t has the prices of its date',
    /FAIL .*has the prices of its date, before the midnight of the store/,
    ['price-at-date', 'const priced = found;'],
  ),
  mutant('an order is committed without its units', 'oversell', /^ *round \d+: .*expected/, [
    'withdrawal-with-commit',
    'TAKEN,',
  ]),
  mutant('no order before locking', 'deadlock', /PostgreSQL counted \d+ deadlocks/, ['lock-order']),
  mutant(
    'stages added after commit',
    'crash',
    /order \S+ has 0 of 2 stages/,
    [
      'stages-with-order',
      `SELECT :store, :id::uuid, 'notify-customer', :stage_state::stage_state, :stage_outcome::mail_outcome, :stage_note WHERE false`,
      2,
    ],
    [
      'placing-transaction',
      `const outcome = await this.write(placement, deadline);
const { storeId } = placement.order;
const stages = \`/* stages.insert */ INSERT INTO order_stages (store_id, order_id, stage, state)
  VALUES ($1, $2, 'notify-customer', 'pending'), ($1, $2, 'notify-merchant', 'pending')\`;
const key = [storeId, placement.order.id];
if (outcome.outcome === 'placed') await this.database.transaction(storeId, (sql) => sql.query(stages, key));`,
    ],
  ),
  mutant(
    'a refusal does not wait for the first request with its key',
    'idempotency',
    /late-refusal-\d+: the order was placed, and its repeat \(\w+\) answered 4(00|22)/,
    ['refusal-after-replay', `const winner = await this.placement.winnerOf(claim, 'once', deadline);`],
  ),
  mutant(
    'an external reference is checked before the insertion, without a unique index',
    'idempotency',
    /reference \S+ has \d+ orders/,
    ['unique-reference', 'CREATE INDEX orders_by_external_reference ON orders (store_id, external_reference, is_test)'],
    [
      'reference-after-insert',
      `return this.findByReference(placement.order).then((found) => {
  if (found !== null && found !== placement.order.id) return { outcome: 'taken', orderId: found };
  return this.attempt(placement, deadline, null);
});`,
    ],
  ),
  mutant(
    'a cancelled wait for the standby is ignored',
    'test/e2e/synchronous-replication.spec.ts -t acknowledges no order, and no replay of it',
    /FAIL .*acknowledges no order, and no replay of it, .* pg_cancel_backend/,
    [
      'cancelled-wait',
      `const onNotice = ({ code }: { code?: string | undefined }) => void (isCancelled ||= code === 'none');`,
    ],
  ),
  mutant(
    'a replay does not wait for the standby',
    'test/e2e/synchronous-replication.spec.ts -t acknowledges no order, and no replay of it',
    /FAIL .*acknowledges no order, and no replay of it, .* pg_cancel_backend/,
    ['replay-on-standby'],
  ),
  mutant(
    'a refusal that names an order does not wait for the standby',
    'test/e2e/synchronous-replication.spec.ts -t names no unacknowledged order',
    /FAIL .*names no unacknowledged order/,
    ['named-order-on-standby'],
  ),
  mutant('stage marked done before its handler', 'pipeline', /mail \S+ is marked done and never arrived/, [
    'done-after-mail',
    `await this.stages.succeed(claim);
await this.notify(claim);`,
    2,
  ]),
  mutant(
    'an erasure forgets the idempotency keys of the person',
    'idempotency',
    /the repeat of an erased order placed 1 orders/,
    ['erased-keys', 'DELETE FROM idempotency_keys', 3],
  ),
  mutant(
    'a claim does not lock the stages',
    'test/contracts/pipeline-stages.spec.ts -t does not wait for a stage',
    /FAIL .*does not wait for a stage that another worker claims/,
    ['stage-lock'],
  ),
  mutant(
    'an attempt ends whoever holds the stage',
    'test/contracts/pipeline-stages.spec.ts -t lets only the last claimant end',
    /FAIL .*lets only the last claimant end the attempt/,
    [
      'stage-holder',
      "const HELD = `store_id = $1 AND order_id = $2 AND stage = $3 AND reference = $4 AND (state = 'pending') IS TRUE AND $5::timestamptz IS NOT NULL`;",
    ],
  ),
  mutant(
    'a claim does not wait for the standby',
    'test/e2e/synchronous-replication.spec.ts -t claims no stage',
    /FAIL .*claims no stage of an order that the standby may not have, .* pg_cancel_backend/,
    ['claim-on-standby', 'return this.database.queryPrepared<ClaimedStage>(CLAIM, [most, forMs, new Date(0)]);'],
  ),
  mutant(
    'an order is decided about without its lock',
    'life',
    /\d+ was refunded of \d+|the history leads to|the event status_changed .*: the status is/,
    ['order-lock', 'SELECT FROM orders WHERE store_id = $1 AND id = $2 AND ($3::boolean IS NULL OR is_test = $3)`;'],
  ),
  mutant(
    'shipments are not limited to the ordered units',
    'life',
    /line \d+ has \d+ units, \d+ in shipments/,
    ['shipped-units', 'IF beyond IS NOT NULL AND false THEN'],
    ['unclaimed-units', 'if (items.length === 0) throw order.beingPicked();'],
    ['unshipped-units', 'if (items.length === 0 && unshippedUnits.length === 0) {'],
  ),
  mutant(
    'units are given up that have shipped',
    'life',
    /line \d+ has \d+ units, \d+ in shipments, \d+ shipped, [1-9]\d* cancelled/,
    ['shipped-units', 'IF beyond IS NOT NULL AND false THEN'],
    ['given-up-units', '', 2],
  ),
  mutant(
    'a change of lines gives up units that have shipped',
    'test/unit/domain/change-lines.spec.ts',
    /FAIL .*answers already_shipped for/,
    ['given-up-units', '', 2],
  ),
  mutant('a refund adds to what its customer has spent', 'life', /customer \S+ has spent -?\d+, not -?\d+/, [
    'total-spent',
    'return amount === 0 ? [] : [{ text: SPEND, values: [storeId, orderId, Math.abs(amount)] }];',
  ]),
  mutant('a change does not claim its key', 'life', /key \S+ was answered (with different bytes|and is not kept)/, [
    'kept-change',
    `((null as Kept<StoredChange> | null) ??
null);`,
    2,
  ]),
  mutant(
    'a change of a shipment leaves no event',
    'life',
    /the history replays the shipments to/,
    [
      'change-events',
      `return eventsOf(order, actor, events.filter(({ event }) => event !== 'shipment_changed'), false);`,
    ],
    ['shipment-event', ') AND false THEN'],
  ),
  mutant(
    'the mail of a shipment forgets its reference',
    'life',
    /mail \S+-notify-shipment@\S+ is marked done and never arrived/,
    ['mail-reference', `return { text: QUEUE, values: [storeId, orderId, stage, reference && ''] };`],
  ),
];
