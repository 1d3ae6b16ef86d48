import type { StoreFixture } from '../../builders/store-fixture.js';
import { acknowledgementViolations } from './oracle/acknowledgements.js';
import { answerViolations } from './oracle/answers.js';
import { orderViolations } from './oracle/orders.js';
import { incompleteViolations, settledViolations } from './oracle/pipeline.js';
import { poolViolations, processViolations } from './oracle/processes.js';
import { stockViolations } from './oracle/stock.js';
import type { ProofContext } from './proof.js';
import type { Service } from './service.js';

export interface OracleQuestion {
  readonly context: ProofContext;
  readonly store: StoreFixture;
  /** The API processes whose pools are checked, with their size (10 unless a proof sets `DATABASE_POOL_SIZE`). */
  readonly services?: readonly Service[];
  readonly poolSize?: number;
  /** Whether a worker runs: then stages must end, and the oracle waits for them. */
  readonly worked?: boolean;
}

/**
 * Checks, after every proof, the invariants of one store, except the mails (`mailViolations`). Call it when no request is
 * in flight.
 *
 * 1. For each product and variant, the opening stock is what the bins hold and the ledger took. No bin is below zero.
 * 2. Each 201 is exactly one order. The same `Idempotency-Key` has the same order and the same bytes.
 * 3. Each order has lines, ledger rows and an assessment. Its lines equal its ledger, and its totals are recomputed from
 *    the prices of the catalog.
 * 4. A refused order leaves no row. An order without a 201 exists only where the client saw a cut connection or a 5xx.
 * 5. Each stage ends `done` or `dead` within 120 s after the faults end. Each mail arrives at least once, and no other.
 * 6. Each body is an envelope. No body and no log line has a stack, SQL, a path of the machine or a planted secret.
 * 7. The processes run, except those that the proof killed, and have released their memory, their connections of the pool
 *    and their transactions.
 *
 * @returns a text for each violation.
 */
export async function askOracle({ context, store, services = [], poolSize, worked = false }: OracleQuestion) {
  const { database, processes } = context.rig;
  const violations = [
    ...(await stockViolations(database, store.id)),
    ...(await acknowledgementViolations(database, store.id, context.history)),
    ...(await orderViolations(database, store.id)),
    ...(await (worked ? settledViolations : incompleteViolations)(database, store.id)),
    ...answerViolations(context.history.exchanges, processes, [store.key]),
    ...(await processViolations(database, processes)),
  ];
  for (const service of services) violations.push(...(await poolViolations(database, service, store, poolSize)));
  return violations;
}
