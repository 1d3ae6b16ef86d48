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
 * Checks, after every proof, the invariants 1–7 of one store, except the mails (`mailViolations`). Call it when no
 * request is in flight.
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
