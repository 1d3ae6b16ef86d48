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
 * Checks the invariants of docs/promises.md for one store, except the mails (`mailViolations`). Call it when no request is
 * in flight.
 *
 * @returns a text for each violation, with the number of its invariant.
 */
export async function askOracle({ context, store, services = [], poolSize, worked = false }: OracleQuestion) {
  const { database, processes } = context.rig;
  const found: [invariant: string, violations: readonly string[]][] = [
    ['1', await stockViolations(database, store.id)],
    ['2 or 4', await acknowledgementViolations(database, store.id, context.history)],
    ['3 or 4', await orderViolations(database, store.id)],
    ['5', await (worked ? settledViolations : incompleteViolations)(database, store.id)],
    ['6', answerViolations(context.history.exchanges, processes, [store.key])],
    ['7', await processViolations(database, processes)],
  ];
  for (const service of services) found.push(['7', await poolViolations(database, service, store, poolSize)]);
  return found.flatMap(([invariant, violations]) => violations.map((text) => `${text} (invariant ${invariant})`));
}
