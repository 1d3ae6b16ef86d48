/** A text that occurs exactly once in the file, and what to put in its place. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A defect that a proof has to notice. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly proof: string;
  /** For `run.ts`: the smallest form that notices it every time. */
  readonly args: readonly string[];
  /** The violation that shows that the proof noticed this defect, and not just some trouble. */
  readonly noticedAs: RegExp;
}

const STOCK = 'libs/infrastructure/src/persistence/inventory/postgres-stock.repository.ts';
const CREATE_ORDER = 'libs/application/src/orders/create-order.ts';

const WITHOUT_LOCK: Edit = {
  file: STOCK,
  find: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
  replace: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  ), offered`,
};
const WITHOUT_GUARD: Edit = {
  file: STOCK,
  find: `      AND stock.bin_id = chosen.bin_id AND stock.quantity >= chosen.quantity\n`,
  replace: `      AND stock.bin_id = chosen.bin_id\n`,
};

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no row lock and no quantity guard',
    edits: [
      WITHOUT_LOCK,
      WITHOUT_GUARD,
      {
        file: 'libs/infrastructure/src/persistence/migrations/0001-schema.ts',
        find: 'quantity int NOT NULL CHECK (quantity >= 0)',
        replace: 'quantity int NOT NULL',
      },
    ],
    proof: 'oversell',
    args: ['--quick', '--seed', '1'],
    noticedAs: /holds -\d+, its ledger|^ *round \d+: .*expected 50 × 201/,
  },
  {
    // The CHECK holds all the time: nothing goes negative, and far more is sold than there was.
    name: 'stock is read, then written',
    edits: [
      WITHOUT_LOCK,
      WITHOUT_GUARD,
      {
        file: STOCK,
        find: `least(quantity, requested - (through - quantity))::int AS quantity\n`,
        replace: `least(quantity, requested - (through - quantity))::int AS quantity, quantity AS found\n`,
      },
      {
        file: STOCK,
        find: `SET quantity = stock.quantity - chosen.quantity`,
        replace: `SET quantity = chosen.found - chosen.quantity`,
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
        file: 'libs/domain/src/inventory/stock-demand.ts',
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
    name: 'job added after commit',
    edits: [
      {
        file: CREATE_ORDER,
        find: `    pipeline.enqueue(order.storeId, order.id, assessment.verdict),\n`,
        replace: '',
      },
      {
        file: CREATE_ORDER,
        find: `  { idempotency, orders, stock, pipeline }: Transaction,`,
        replace: `  { idempotency, orders, stock }: Transaction,`,
      },
      {
        file: CREATE_ORDER,
        find: `      return await this.unitOfWork.run((transaction) => write(transaction, placement), deadline);`,
        replace: `      const created = await this.unitOfWork.run((transaction) => write(transaction, placement), deadline);
      if (!created.replayed) {
        const { order, assessment } = placement;
        await this.unitOfWork.run(({ pipeline }) =>
          pipeline.enqueue(order.storeId, order.id, assessment.verdict));
      }
      return created;`,
      },
    ],
    proof: 'crash',
    args: ['--quick', '--seed', '1'],
    noticedAs: /order \S+ has 0 of 4 stages/,
  },
  {
    name: 'stage marked done before its handler',
    edits: [
      {
        file: 'libs/application/src/orders/run-pipeline-stage.ts',
        find: `      await this.notifier.notify(stage, order, store);\n`,
        replace: `      await this.stages.succeed(storeId, orderId, stage);
      await this.notifier.notify(stage, order, store);\n`,
      },
    ],
    proof: 'pipeline',
    args: ['--quick', '--seed', '1'],
    noticedAs: /mail \S+ is marked done and never arrived/,
  },
  {
    name: 'one store predicate removed',
    edits: [
      {
        file: 'libs/infrastructure/src/persistence/customers/postgres-customer.repository.ts',
        find: `FROM customers WHERE store_id = $1 AND id = $2`,
        replace: `FROM customers WHERE $1::int > 0 AND id = $2`,
      },
    ],
    proof: 'isolation',
    args: ['--quick', '--seed', '1'],
    noticedAs: /GET \/v1\/customers\/:id, customer: 200/,
  },
];
