import type { Deadline } from '@app/application';
import type pg from 'pg';

/** A wait for a lock that ends at the deadline is told by the server; this is for a server that says nothing. */
const GRACE_MS = 200;

/** SQL on the one connection of a transaction. Lives as long as the transaction. */
export class TransactionSql {
  /** @param deadline after which a server that does not answer is given up, and the transaction with it. */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly deadline: Deadline,
  ) {}

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const query = { text, values: [...values], query_timeout: Math.ceil(this.deadline.remainingMs) + GRACE_MS };
    const { rows } = await this.client.query(query);
    return rows as Row[];
  }
}
