import { Injectable, type OnModuleInit } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { ServiceMetrics } from '../metrics/service-metrics.js';
import { poolOf } from './data-source.js';
import { ReadBatches } from './read-batches.js';
import { prepared } from './prepared.js';
import { watchDataSource, watched } from './watch-statements.js';

/** Reads in SQL, each on a connection of its own. */
@Injectable()
export class Database implements OnModuleInit {
  private readonly batches = new ReadBatches(() => poolOf(this.dataSource));

  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: ServiceMetrics = new ServiceMetrics(),
  ) {}

  onModuleInit(): void {
    watchDataSource(this.dataSource, this.metrics);
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
    const query = { ...prepared(text, values), ...(timeoutMs && { query_timeout: timeoutMs }) };
    return watched(this.metrics, 'prepared', text, () => this.batches.query(query).then(({ rows }) => rows as Row[]));
  }

  private async run<Row>(query: pg.QueryConfig): Promise<Row[]> {
    const { rows } = await watched(this.metrics, 'planned', query.text, () => poolOf(this.dataSource).query(query));
    return rows as Row[];
  }
}
