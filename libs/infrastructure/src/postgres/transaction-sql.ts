import { CommitOutcomeUnknown, LOCK_TIMEOUT_MS, SILENT_SERVER_MS, type Deadline } from '@app/application';
import pg from 'pg';
import type { DatabaseMetrics } from './database-metrics.js';
import { prepared } from './prepared.js';
import { isConnectionLost } from './postgres-errors.js';
import type { Sql } from './sql.js';
import { commitConfirmed, SHOW_WARNINGS, WAIT_FOR_STANDBYS } from './standby-wait.js';
import { watched } from './watch-statements.js';

export interface Statement {
  /** The text is one of a bounded number: each connection parses and plans it once. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it tests {@link isWritable}, which costs an order less than a statement of its own. */
  readonly demandsHome?: true;
}

/**
 * An SQL condition: whether the session is in a transaction that this class has begun. Fails where the store may not be written here. The
 * first statement of a pipeline travels with BEGIN and must fail without it: it would be committed alone where BEGIN failed and
 * the connection lives.
 *
 * @param store the expression of its id.
 */
export const isWritable = (store: string) =>
  `current_setting('store_commerce.has_begun', true) = 'yes' AND assert_writable(${store})`;

// Generic plans: planning these statements takes longer than running them. No scans of whole tables: these statements read by
// keys, and a plan that is made while a table is nearly empty stays when it has grown. Every wait is bounded: a lock wait ends at
// the deadline at the latest, any other statement before the service drops the connection, whose statement would run on and keep
// its locks; and the server ends a transaction whose process died. No JIT: the cost of a scan that cannot be
// avoided would start it.
function begin({ remainingMs }: Deadline, storeId: number | null): string {
  // A lock_timeout of 0 would wait forever.
  const lockTimeout = Math.max(1, Math.min(LOCK_TIMEOUT_MS, Math.floor(remainingMs)));
  // The statement timeout comes after the lock timeout, which has an error of its own.
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

/** SQL on the one connection of a transaction, which its first statement begins. Lives as long as the transaction. */
export class TransactionSql implements Sql {
  private begun: Promise<unknown> | null = null;
  /** Whether the server has answered a COMMIT that travelled with statements, if only by a rollback. */
  private hasEnded = false;

  /**
   * @param storeId whose rows the transaction writes; null when it writes none of a store.
   * @param deadline after it, a statement without an answer fails, and the transaction with it.
   */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly storeId: number | null,
    private readonly deadline: Deadline,
    private readonly metrics: DatabaseMetrics,
  ) {}

  /** @param text as that of a {@link Statement}. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    await this.begin(this.storeId);
    return (await this.send(prepared(text, values))) as Row[];
  }

  /**
   * Sends statements without waiting for answers, BEGIN first where the transaction has not begun. The server runs them in
   * this order; after a failure it refuses the rest.
   *
   * @param statements none of which succeeds outside of a transaction: the first tests {@link isWritable}, and the others need its
   *   row.
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
   * Sends the last statements as a pipeline, and COMMIT right behind them: their locks are held for no round trip. After a
   * failure, COMMIT rolls back: a statement that does not do what it must has to fail.
   *
   * @throws the error of the first statement that the server refused.
   * @throws CommitOutcomeUnknown when the connection was lost, or the server cancelled the wait for its standbys.
   */
  async commitWith(statements: readonly Statement[]): Promise<void> {
    const { begun, answers } = this.sendAll(statements);
    const committed = this.sendCommit();
    const [end, ...outcomes] = await Promise.allSettled([committed, begun, ...answers]);
    this.hasEnded = end.status === 'fulfilled';
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    // The server did not commit what it had refused, whatever became of the connection afterwards.
    const refusal = failures.find((reason) => reason instanceof pg.DatabaseError);
    if (refusal !== undefined) throw refusal as Error;
    if (end.status === 'rejected') throw end.reason;
    // An answer that came too late to be read, before that of COMMIT.
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
   * Rolls back, unless the connection is lost: its end does that.
   *
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
