import type { Mutant } from './mutant.js';

const STOCK = 'libs/infrastructure/src/stock/withdraw-stock.ts';
const PLACEMENT = 'libs/infrastructure/src/orders/postgres-order-placement.ts';
const SYNCHRONOUS = 'test/e2e/synchronous-replication.spec.ts';
const STAGES = 'libs/infrastructure/src/orders/postgres-pipeline-stages.ts';
const STAGES_CONTRACT = 'test/contracts/pipeline-stages.spec.ts';
const CREATE_ORDER = 'libs/application/src/orders/create-order.ts';

/** Defects in placing and processing orders. */
export const ORDER_MUTANTS: readonly Mutant[] = [
  {
    // The CHECK does not notice it: no quantity becomes negative although far more is sold than the opening stock.
    name: 'stock is read without a lock, then written',
    edits: [
      {
        file: STOCK,
        find: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
        replace: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  ), offered`,
      },
    ],
    proof: 'oversell',
    args: ['--quick', '--seed', '1'],
    noticedAs: /opening \d+ is not \d+ in bins|holds \d+, its ledger/,
  },
  {
    name: 'demand not summed',
    edits: [
      {
        file: 'libs/domain/src/stock/stock-demand.ts',
        find: 'const demand = demands.find((candidate) => sameStock(candidate, line));',
        replace:
          'const demand = demands.find((candidate) => sameStock(candidate, line) && candidate.lines.includes(index));',
      },
    ],
    proof: 'oversell',
    args: ['--quick', '--seed', '1'],
    noticedAs: /^ *split round \d+: .*expected 16 × 201/,
  },
  {
    name: 'no order before locking',
    edits: [
      {
        file: STOCK,
        find: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
        replace: `    FOR NO KEY UPDATE OF stock
  ), offered`,
      },
    ],
    proof: 'deadlock',
    args: ['--quick', '--seed', '1'],
    noticedAs: /PostgreSQL counted \d+ deadlocks/,
  },
  {
    name: 'stages added after commit',
    edits: [
      {
        file: PLACEMENT,
        find: `    stageInsertion(order, assessment),\n`,
        replace: '',
      },
      {
        file: PLACEMENT,
        find: `      const outcome = await this.transactions.run((sql) => write(sql, placement), deadline);`,
        replace: `      const outcome = await this.transactions.run((sql) => write(sql, placement), deadline);
      const { text, values } = stageInsertion(placement.order, placement.assessment);
      if (outcome.outcome === 'placed') await this.transactions.run((sql) => sql.query(text, values));`,
      },
    ],
    proof: 'crash',
    args: ['--quick', '--seed', '1'],
    noticedAs: /order \S+ has 0 of 4 stages/,
  },
  {
    name: 'a refusal does not wait for the first request with its key',
    edits: [
      {
        file: CREATE_ORDER,
        find: `const replay = idempotency && (await this.placement.awaitReplay(idempotency, deadline));`,
        replace: `const replay = idempotency && (await this.placement.findReplay(idempotency));`,
      },
    ],
    proof: 'idempotency',
    args: ['--quick', '--seed', '1'],
    noticedAs: /late-refusal-\d+: the order was placed, and its repeat \(\w+\) answered 4(00|22)/,
  },
  {
    name: 'an external reference is checked before the insertion, without a unique index',
    edits: [
      {
        file: 'libs/infrastructure/src/postgres/migrations/0001-schema.sql',
        find: 'CREATE UNIQUE INDEX orders_by_external_reference',
        replace: 'CREATE INDEX orders_by_external_reference',
      },
      {
        file: PLACEMENT,
        find: `    return this.attempt(placement, deadline, null);`,
        replace: `    return this.findByReference(placement.order).then((found) => {
      if (found !== null && found !== placement.order.id) throw new ExternalReferenceTaken(found);
      return this.attempt(placement, deadline, null);
    });`,
      },
    ],
    proof: 'idempotency',
    args: ['--quick', '--seed', '1'],
    noticedAs: /reference \S+ has \d+ orders/,
  },
  {
    name: 'a cancelled wait for the standby is ignored',
    edits: [
      {
        file: 'libs/infrastructure/src/postgres/standby-wait.ts',
        find: `void (isCancelled ||= code === WARNING)`,
        replace: `void (isCancelled ||= code === 'none')`,
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'acknowledges no order, and no replay of it'],
    noticedAs: /✕ acknowledges no order, and no replay of it, .* pg_cancel_backend/,
  },
  {
    name: 'a replay does not wait for the standby',
    edits: [
      {
        file: 'libs/infrastructure/src/orders/idempotency-keys.ts',
        find: `  if (row.waits_for_standbys) await reader.waitForStandbys();\n`,
        replace: '',
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'acknowledges no order, and no replay of it'],
    noticedAs: /✕ acknowledges no order, and no replay of it, .* pg_cancel_backend/,
  },
  {
    name: 'a refusal that names an order does not wait for the standby',
    edits: [
      {
        file: PLACEMENT,
        find: `    // A client that reads the id takes the order as placed, as with a replay.
    if (row?.waits) await this.database.waitForStandbys();\n`,
        replace: '',
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'names no unacknowledged order'],
    noticedAs: /✕ names no unacknowledged order/,
  },
  {
    name: 'stage marked done before its handler',
    edits: [
      {
        file: 'libs/application/src/orders/run-pipeline-stage.ts',
        find: `      await this.notify(claim);
      await this.stages.succeed(claim);\n`,
        replace: `      await this.stages.succeed(claim);
      await this.notify(claim);\n`,
      },
    ],
    proof: 'pipeline',
    args: ['--quick', '--seed', '1'],
    noticedAs: /mail \S+ is marked done and never arrived/,
  },
  {
    name: 'an erasure forgets the idempotency keys of the person',
    edits: [
      {
        file: 'libs/infrastructure/src/customers/postgres-personal-data.ts',
        find: `  UPDATE idempotency_keys
  SET key = chr(1) || encode(sha256(convert_to(key, 'UTF8')), 'hex'), request_hash = substring(request_hash FROM 1 FOR 1)
`,
        replace: `  DELETE FROM idempotency_keys\n`,
      },
    ],
    proof: 'idempotency',
    args: ['--quick', '--seed', '1'],
    noticedAs: /the repeat of an erased order placed 1 orders/,
  },
  {
    name: 'a claim does not lock the stages',
    edits: [{ file: STAGES, find: `    FOR NO KEY UPDATE SKIP LOCKED\n`, replace: '' }],
    proof: STAGES_CONTRACT,
    args: ['-t', 'does not wait for a stage'],
    noticedAs: /✕ does not wait for a stage that another worker claims/,
  },
  {
    name: 'an attempt ends whoever holds the stage',
    edits: [{ file: STAGES, find: ` AND locked_until = $4`, replace: ' AND $4::timestamptz IS NOT NULL' }],
    proof: STAGES_CONTRACT,
    args: ['-t', 'lets only the last claimant end'],
    noticedAs: /✕ lets only the last claimant end the attempt/,
  },
  {
    name: 'a claim does not wait for the standby',
    edits: [
      {
        file: STAGES,
        find: `this.database.write<ClaimedStage>(`,
        replace: 'this.database.queryPrepared<ClaimedStage>(',
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'claims no stage'],
    noticedAs: /✕ claims no stage of an order that the standby may not have, .* pg_cancel_backend/,
  },
];
