import type pg from 'pg';

/** SQL on the one connection of a transaction. Lives as long as the transaction. */
export class TransactionSql {
  constructor(private readonly client: pg.ClientBase) {}

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.client.query(text, [...values]);
    return rows as Row[];
  }
}
