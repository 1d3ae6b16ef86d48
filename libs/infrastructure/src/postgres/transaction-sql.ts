import { SILENT_SERVER_MS, type Deadline } from '@app/application';
import type pg from 'pg';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { prepared } from './prepared.js';
import { corkUntilNextTick } from './cork.js';
import { commitConfirmed, WAIT_FOR_STANDBYS } from './standby-wait.js';
import { watched } from './watch-statements.js';

/** A statement with its values. */
export interface Statement {
  /** One of a bounded number of texts: each connection parses and plans it once. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/** SQL on the one connection of a transaction. Lives as long as the transaction. */
export class TransactionSql {
  /** @param deadline after it, a statement without an answer fails, and the transaction with it. */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly deadline: Deadline,
    private readonly metrics: ServiceMetrics,
  ) {}

  /** @param text one of a bounded number of texts: each connection parses and plans it once. */
  async query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    corkUntilNextTick(this.client);
    const query = { ...prepared(text, values), query_timeout: this.patienceMs };
    const { rows } = await this.send(query);
    return rows as Row[];
  }

  /**
   * Sends statements in one packet. The server runs them in this order; after a failure it refuses the rest.
   *
   * @returns the rows of each statement.
   * @throws the error of the first statement that failed.
   */
  async pipeline(statements: readonly Statement[]): Promise<unknown[][]> {
    const outcomes = await Promise.allSettled(statements.map(({ text, values }) => this.query(text, values)));
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  }

  /** Runs statements without values; discards their rows. */
  async execute(text: string): Promise<void> {
    const query = { text, query_timeout: this.patienceMs };
    await this.send(query);
  }

  /** Makes COMMIT wait for the standbys even if this transaction writes nothing. */
  async waitForStandbysAtCommit(): Promise<void> {
    await this.query(WAIT_FOR_STANDBYS, []);
  }

  /** @throws CommitOutcomeUnknown when the connection was lost, or the server cancelled the wait for its standbys. */
  commit(): Promise<void> {
    return commitConfirmed(this.client, () => this.execute('COMMIT'), this.metrics);
  }

  private send(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return watched(this.metrics, 'transaction', query.text, () => this.client.query(query));
  }

  private get patienceMs(): number {
    return Math.ceil(this.deadline.remainingMs) + SILENT_SERVER_MS;
  }
}
