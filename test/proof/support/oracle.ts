import type { SmtpSink } from '../../support/smtp-sink.js';
import { acknowledgementViolations } from './oracle/acknowledgements.js';
import { answerViolations, unexpectedAnswers } from './oracle/answers.js';
import { orderViolations } from './oracle/orders.js';
import { incompleteViolations, mailViolations, settledViolations } from './oracle/pipeline.js';
import { poolViolations, processViolations } from './oracle/processes.js';
import { stockViolations } from './oracle/stock.js';
import type { Service } from './service.js';
import type { StockedStore } from './shop.js';

interface OracleQuestion {
  /** The API processes whose pools are checked, with their size (10 unless a proof sets `DATABASE_POOL_SIZE`). */
  readonly services?: readonly Service[];
  readonly poolSize?: number;
  /** Whether a worker runs: stages must then end, and the oracle waits for them. */
  readonly worked?: boolean;
  /** The mail server of the worker. Every order and the store must have an e-mail address. */
  readonly mails?: Pick<SmtpSink, 'countsByMessageId'>;
  /** The statuses that the attack may cause; `null` is a cut connection. */
  readonly expected?: readonly (number | null)[];
}

/** The invariants of docs/promises.md. Call it when no request is in flight: it closes the clients' connections. */
export async function askOracle({ context, store, buyers }: StockedStore, question: OracleQuestion): Promise<string[]> {
  const { services = [], poolSize, worked = false, mails, expected } = question;
  const { exchanges } = context.history;
  const { database, processes } = context.rig;
  buyers.close();
  const found: [invariant: string, violations: readonly string[]][] = [
    ['1', await stockViolations(database, store.id)],
    ['2 or 4', await acknowledgementViolations(database, store.id, context.history)],
    ['3 or 4', await orderViolations(database, store.id)],
    ['5', await (worked ? settledViolations : incompleteViolations)(database, store.id)],
    ['5', mails ? await mailViolations(database, store.id, mails.countsByMessageId) : []],
    ['6', answerViolations(exchanges, processes, [store.key])],
    ['6', expected ? unexpectedAnswers(exchanges, expected) : []],
    ['7', await processViolations(database, processes)],
  ];
  for (const service of services) found.push(['7', await poolViolations(database, service, store, poolSize)]);
  return found.flatMap(([invariant, violations]) => violations.map((text) => `${text} (invariant ${invariant})`));
}
