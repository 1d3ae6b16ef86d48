import { CommitOutcomeUnknown, LOCK_TIMEOUT_MS, SILENT_SERVER_MS, type Deadline } from '@app/application';
import pg from 'pg';
import type { DatabaseMetrics } from './database-metrics.js';
import { prepared } from './prepared.js';
import { isConnectionLost } from './postgres-errors.js';
import type { Sql } from './sql.js';
import { commitConfirmed, SHOW_WARNINGS, WAIT_FOR_STANDBYS } from './standby-wait.js';
import { watched } from './watch-statements.js';

export interface Statement {
  /** Must be one of a limited number of texts: each connection parses and plans it once. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether the statement tests {@link isWritable} itself, which costs an order less than a separate statement. */
  readonly demandsHome?: true;
}

/**
 * An SQL condition: whether the session is in a transaction that this class has begun. It fails where this cluster does
 * not own the store. The first statement of a pipeline is sent together with BEGIN and must fail without it: if BEGIN
 * failed on a live connection, the statement would be committed alone.
 * @param store the SQL expression of the store's id.
 */
export const isWritable = (store: string) =>
  `current_setting('store_commerce.has_begun', true) = 'yes' AND assert_writable(${store})`;

// Generic plans are used because planning these statements takes longer than running them. Scans of whole tables are
// disabled: these statements read by keys, and a plan that is made while a table is nearly empty stays when it has
// grown. Every wait is limited. A lock wait ends at the deadline at the latest. Any other statement ends before the
// service drops the connection; otherwise it would continue and keep its locks. The server ends a transaction whose
// process died. JIT is off, because the cost of a scan that cannot be avoided would start it.
function begin({ remainingMs }: Deadline, storeId: number | null): string {
  // A lock_timeout of 0 would wait forever.
  const lockTimeout = Math.max(1, Math.min(LOCK_TIMEOUT_MS, Math.floor(remainingMs)));
  // The statement timeout must exceed the lock timeout, which has an error of its own.
  const statementTimeout = Math.floor(remainingMs + SILENT_SERVER_MS / 2);
  return `/* transactions.begin */
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL store_commerce.has_begun = 'yes';
    SET LOCAL plan_cache_mode = force_generic_plan;
    SET LOCAL enable_seqscan = off;
    SET LOCAL jit = off;
    ${SHOW_WARNINGS};
    SET LOCAL statement_timeout = ${statementTimeout};
    SET LOCAL lock_timeout = ${lockTimeout};
    SET LOCAL idle_in_transaction_session_timeout = '10s'${
      storeId === null
        ? ''
        : `;
    SELECT assert_writable(${storeId})`
    }`;
}

/**
 * Runs SQL on the single connection of a transaction, which its first statement begins. An instance lives as long as
 * its transaction.
 */
export class TransactionSql implements Sql {
  private begun: Promise<unknown> | null = null;
  /** Whether the server has answered a COMMIT that was sent together with statements, even by a rollback. */
  private hasEnded = false;

  /**
   * @param storeId the store whose rows the transaction writes; null when it writes rows of no store.
   * @param deadline after it, a statement without an answer fails, and so does the transaction.
   */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly storeId: number | null,
    private readonly deadline: Deadline,
    private readonly metrics: DatabaseMetrics,
  ) {}

  /** @param text must follow the rule of a {@link Statement}. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    await this.begin(this.storeId);
    return (await this.send(prepared(text, values))) as Row[];
  }

  /**
   * Sends statements without waiting for answers, with BEGIN first if the transaction has not begun. The server runs
   * them in this sequence; after a failure it refuses the rest.
   * @param statements must all fail outside of a transaction: the first tests {@link isWritable}, and the others need its
   * row.
   * @returns the rows of each statement.
   * @throws the error of the first statement that failed.
   */
  async pipeline(statements: readonly Statement[]): Promise<unknown[][]> {
    const { begun, answers } = this.sendAll(statements);
    const outcomes = await Promise.allSettled(answers);
    await begun;
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /**
   * Sends the last statements as a pipeline, directly followed by COMMIT, so that their locks are not held for a round
   * trip. After a failure, COMMIT rolls back, so a statement that does not achieve its purpose must fail.
   * @throws the error of the first statement that the server refused.
   * @throws CommitOutcomeUnknown when the connection was lost, or the server cancelled the wait for its standbys.
   */
  async commitWith(statements: readonly Statement[]): Promise<void> {
    const { begun, answers } = this.sendAll(statements);
    const committed = this.sendCommit();
    const [end, ...outcomes] = await Promise.allSettled([committed, begun, ...answers]);
    this.hasEnded = end.status === 'fulfilled';
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    // The server did not commit what it had refused, even if the connection was lost afterwards.
    const refusal = failures.find((reason) => reason instanceof pg.DatabaseError);
    if (refusal !== undefined) throw refusal as Error;
    if (end.status === 'rejected') throw end.reason;
    // An answer before that of COMMIT came too late to be read.
    if (failures.length > 0) throw new CommitOutcomeUnknown(failures[0]);
  }

  /** Makes COMMIT wait for the standbys even if this transaction writes nothing. */
  async waitForStandbys(): Promise<void> {
    await this.query(WAIT_FOR_STANDBYS, []);
  }

  /** @throws CommitOutcomeUnknown when the connection was lost, or the server cancelled the wait for its standbys. */
  async commit(): Promise<void> {
    if (this.begun === null || this.hasEnded) return;
    await this.sendCommit();
  }

  /**
   * Rolls back, unless the connection is lost: losing it also rolls back.
   * @returns whether the connection is free for another transaction.
   */
  async rollBack(reason: unknown): Promise<boolean> {
    if (this.begun === null || this.hasEnded) return true;
    if (reason instanceof CommitOutcomeUnknown || isConnectionLost(reason)) return false;
    return this.begun
      .then(() => this.send({ text: 'ROLLBACK' }))
      .then(
        () => true,
        () => false,
      );
  }

  private sendAll(statements: readonly Statement[]) {
    const begun = this.begin(statements[0]?.demandsHome ? null : this.storeId);
    return { begun, answers: statements.map(({ text, values }) => this.send(prepared(text, values))) };
  }

  private sendCommit(): Promise<unknown> {
    return commitConfirmed(this.client, () => this.send({ text: 'COMMIT' }), this.metrics);
  }

  private begin(asking: number | null): Promise<unknown> {
    if (this.begun === null) {
      this.begun = this.send({ text: begin(this.deadline, asking) });
      // The caller that awaits it handles its failure.
      this.begun.catch(() => undefined);
    }
    return this.begun;
  }

  private async send(query: pg.QueryConfig): Promise<unknown[]> {
    const limited = { ...query, query_timeout: Math.ceil(this.deadline.remainingMs) + SILENT_SERVER_MS };
    const { rows } = await watched(this.metrics, 'transaction', query.text, () => this.client.query(limited));
    return rows as unknown[];
  }
}
