import { QUERY_TIMEOUT_MS, SEARCH_QUEUE_MS } from '@app/application';
import type pg from 'pg';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { Semaphore } from './semaphore.js';
import { ReadBatches } from './read-batches.js';
import { prepared } from './prepared.js';
import { watched } from './watch-statements.js';

/** The share of the pool that searches may take. */
const SEARCHES = 0.4;

/** Reads in SQL, each on a connection of its own. */
export class Database {
  private readonly batches: ReadBatches;

  /**
   * @param pool is asked for each time: it may not be open yet.
   * @param searches the limit on searches, to be shared by all who share the pool.
   */
  constructor(
    private readonly pool: () => pg.Pool,
    private readonly metrics = new ServiceMetrics(),
    readonly searches = new Semaphore(() => Math.max(1, Math.floor(pool().options.max * SEARCHES)), SEARCH_QUEUE_MS),
  ) {
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

  /**
   * For searches, which cost what they look through: a few at a time, so that others find a connection of the pool.
   *
   * @throws DeadlineExceeded when there are too many.
   */
  search<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.searches.run(() => this.query<Row>(text, values, QUERY_TIMEOUT_MS));
  }

  /** For statements of which there are few and that run often: each connection parses and plans them once. */
  queryPrepared<Row>(text: string, values: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    const query = { ...prepared(text, values), ...(timeoutMs && { query_timeout: timeoutMs }) };
    return watched(this.metrics, 'prepared', text, () => this.batches.query(query).then(({ rows }) => rows as Row[]));
  }

  private async run<Row>(query: pg.QueryConfig): Promise<Row[]> {
    const { rows } = await watched(this.metrics, 'planned', query.text, () => this.pool().query(query));
    return rows as Row[];
  }
}
