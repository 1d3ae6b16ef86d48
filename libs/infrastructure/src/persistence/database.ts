import type pg from 'pg';
import { ReadBatches } from './read-batches.js';
import { prepared } from './prepared.js';

/** Reads in SQL, each on a connection of its own. */
export class Database {
  private readonly batches: ReadBatches;

  /** @param pool is asked for each time: it may not be open yet. */
  constructor(private readonly pool: () => pg.Pool) {
    this.batches = new ReadBatches(pool);
  }

  /**
   * For statements that depend on their values, such as a search: they are planned anew each time.
   *
   * @param timeoutMs how long to wait for the answer, where that is less than any statement may take.
   */
  query<Row>(text: string, values: readonly unknown[] = [], timeoutMs?: number): Promise<Row[]> {
    return this.run({ text, values: [...values], ...(timeoutMs && { query_timeout: timeoutMs }) });
  }

  /** For statements of which there are few and that run often: each connection parses and plans them once. */
  queryPrepared<Row>(text: string, values: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    return this.batches
      .query({ ...prepared(text, values), ...(timeoutMs && { query_timeout: timeoutMs }) })
      .then(({ rows }) => rows as Row[]);
  }

  private async run<Row>(query: pg.QueryConfig): Promise<Row[]> {
    const { rows } = await this.pool().query(query);
    return rows as Row[];
  }
}
