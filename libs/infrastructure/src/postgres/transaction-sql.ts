import { SILENT_SERVER_MS, type Deadline } from '@app/application';
import type pg from 'pg';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { prepared } from './prepared.js';
import { corkUntilNextTick } from './cork.js';
import { watched } from './watch-statements.js';

/** SQL on the one connection of a transaction. Lives as long as the transaction. */
export class TransactionSql {
  /** @param deadline after which a server that does not answer is given up, and the transaction with it. */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly deadline: Deadline,
    private readonly metrics: ServiceMetrics,
  ) {}

  /** @param text one of a bounded number: each connection has it parsed and planned once. */
  async query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    corkUntilNextTick(this.client);
    const query = { ...prepared(text, values), query_timeout: this.patienceMs };
    const { rows } = await this.send(query);
    return rows as Row[];
  }

  /** Statements without values, and without an answer. */
  async execute(text: string): Promise<void> {
    const query = { text, query_timeout: this.patienceMs };
    await this.send(query);
  }

  /** @throws whatever the driver tells: it is not known whether the transaction was committed. */
  async commit(): Promise<void> {
    await this.execute('COMMIT');
  }

  private send(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return watched(this.metrics, 'transaction', query.text, () => this.client.query(query));
  }

  private get patienceMs(): number {
    return Math.ceil(this.deadline.remainingMs) + SILENT_SERVER_MS;
  }
}
