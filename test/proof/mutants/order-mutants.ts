import { mutant, type Mutant } from './mutant.js';

const STOCK = 'libs/infrastructure/src/stock/withdraw-stock.ts';
const PLACEMENT = 'libs/infrastructure/src/orders/postgres-order-placement.ts';
const STAGES = 'libs/infrastructure/src/orders/postgres-pipeline-stages.ts';

/** Defects in placing and processing orders. */
export const ORDER_MUTANTS: readonly Mutant[] = [
  // The CHECK does not notice it: no quantity becomes negative although far more is sold than the opening stock.
  mutant(
    'stock is read without a lock, then written',
    'oversell',
    /opening \d+ is not \d+ in bins|holds \d+, its ledger/,
    [
      STOCK,
      `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
      `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  ), offered`,
    ],
  ),
  mutant('demand not summed', 'oversell', /^ *split round \d+: .*expected 16 × 201/, [
    'libs/domain/src/stock/stock-demand.ts',
    'const demand = demands.find((candidate) => sameStock(candidate, line));',
    'const demand = demands.find((candidate) => sameStock(candidate, line) && candidate.lines.includes(index));',
  ]),
  mutant('no order before locking', 'deadlock', /PostgreSQL counted \d+ deadlocks/, [
    STOCK,
    `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
    `    FOR NO KEY UPDATE OF stock
  ), offered`,
  ]),
  mutant(
    'stages added after commit',
    'crash',
    /order \S+ has 0 of 2 stages/,
    [
      'libs/infrastructure/src/orders/insert-order.ts',
      "VALUES (:store, :id, 'notify-customer', :stage_state, 3, :held_for), (:store, :id, 'notify-merchant', 'pending', 4, NULL)",
      "SELECT :store, :id, 'notify-customer', :stage_state, 3, :held_for::text[] WHERE false",
    ],
    [
      PLACEMENT,
      '      const outcome = await this.transactions.run(storeId, (sql) => write(sql, placement), deadline);',
      `      const outcome = await this.transactions.run(storeId, (sql) => write(sql, placement), deadline);
      const stages = \`/* stages.insert */ INSERT INTO order_stages (store_id, order_id, stage, state, position)
        VALUES ($1, $2, 'notify-customer', 'pending', 3), ($1, $2, 'notify-merchant', 'pending', 4)\`;
      const key = [storeId, placement.order.id];
      if (outcome.outcome === 'placed') await this.transactions.run(storeId, (sql) => sql.query(stages, key));`,
    ],
  ),
  mutant(
    'a refusal does not wait for the first request with its key',
    'idempotency',
    /late-refusal-\d+: the order was placed, and its repeat \(\w+\) answered 4(00|22)/,
    [
      'libs/application/src/orders/create-order.ts',
      'const replay = idempotency && (await this.placement.awaitReplay(idempotency, deadline));',
      'const replay = idempotency && (await this.placement.findReplay(idempotency));',
    ],
  ),
  mutant(
    'an external reference is checked before the insertion, without a unique index',
    'idempotency',
    /reference \S+ has \d+ orders/,
    [
      'libs/infrastructure/src/postgres/migrations/0001-schema.sql',
      'CREATE UNIQUE INDEX orders_by_external_reference',
      'CREATE INDEX orders_by_external_reference',
    ],
    [
      PLACEMENT,
      '    return this.attempt(placement, deadline, null);',
      `    return this.findByReference(placement.order).then((found) => {
      if (found !== null && found !== placement.order.id) throw new ExternalReferenceTaken(found);
      return this.attempt(placement, deadline, null);
    });`,
    ],
  ),
  mutant(
    'a cancelled wait for the standby is ignored',
    'test/e2e/synchronous-replication.spec.ts -t acknowledges no order, and no replay of it',
    /✕ acknowledges no order, and no replay of it, .* pg_cancel_backend/,
    [
      'libs/infrastructure/src/postgres/standby-wait.ts',
      'void (isCancelled ||= code === WARNING)',
      `void (isCancelled ||= code === 'none')`,
    ],
  ),
  mutant(
    'a replay does not wait for the standby',
    'test/e2e/synchronous-replication.spec.ts -t acknowledges no order, and no replay of it',
    /✕ acknowledges no order, and no replay of it, .* pg_cancel_backend/,
    [
      'libs/infrastructure/src/postgres/idempotency-keys.ts',
      'if (row.waits_for_standbys) await reader.waitForStandbys();',
      '',
    ],
  ),
  mutant(
    'a refusal that names an order does not wait for the standby',
    'test/e2e/synchronous-replication.spec.ts -t names no unacknowledged order',
    /✕ names no unacknowledged order/,
    [
      PLACEMENT,
      `    // A client that reads the id takes the order as placed, as with a replay.
    if (row?.waits) await this.database.waitForStandbys();
`,
      '',
    ],
  ),
  mutant('stage marked done before its handler', 'pipeline', /mail \S+ is marked done and never arrived/, [
    'libs/application/src/orders/run-pipeline-stage.ts',
    `      await this.notify(claim);
      await this.stages.succeed(claim);
`,
    `      await this.stages.succeed(claim);
      await this.notify(claim);
`,
  ]),
  mutant(
    'an erasure forgets the idempotency keys of the person',
    'idempotency',
    /the repeat of an erased order placed 1 orders/,
    [
      'libs/infrastructure/src/orders/postgres-personal-data.ts',
      `  UPDATE idempotency_keys
  SET key = chr(1) || encode(sha256(convert_to(key, 'UTF8')), 'hex'), request_hash = substring(request_hash FROM 1 FOR 1),
    record = CASE WHEN kind <> 'change' THEN record END
`,
      `  DELETE FROM idempotency_keys
`,
    ],
  ),
  mutant(
    'a claim does not lock the stages',
    'test/contracts/pipeline-stages.spec.ts -t does not wait for a stage',
    /✕ does not wait for a stage that another worker claims/,
    [STAGES, 'FOR NO KEY UPDATE SKIP LOCKED', ''],
  ),
  mutant(
    'an attempt ends whoever holds the stage',
    'test/contracts/pipeline-stages.spec.ts -t lets only the last claimant end',
    /✕ lets only the last claimant end the attempt/,
    [STAGES, ' AND locked_until = $5', ' AND $5::timestamptz IS NOT NULL'],
  ),
  mutant(
    'a claim does not wait for the standby',
    'test/e2e/synchronous-replication.spec.ts -t claims no stage',
    /✕ claims no stage of an order that the standby may not have, .* pg_cancel_backend/,
    [STAGES, 'this.database.write<ClaimedStage>(', 'this.database.queryPrepared<ClaimedStage>('],
  ),
];
