import type { DataSource } from 'typeorm';
import { tracedStatement, traceStatement } from '../platform/spans.js';
import { statementName } from '../platform/statement-name.js';
import type { DatabaseMetrics, StatementKind } from './database-metrics.js';

/** Calls `run` synchronously. */
export function watched<T>(
  metrics: DatabaseMetrics,
  kind: StatementKind,
  text: string,
  run: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const answer = tracedStatement(text, run);
  const observe = () => metrics.observeStatement(kind, statementName(text), (performance.now() - started) / 1000);
  answer.then(observe, observe);
  return answer;
}

/** Adds the statements that TypeORM sends by itself to the metrics. */
export function watchDataSource(dataSource: DataSource, metrics: DatabaseMetrics): void {
  dataSource.subscribers.push({
    afterQuery: ({ query, executionTime = 0 }) => {
      metrics.observeStatement('orm', statementName(query), executionTime / 1000);
      traceStatement(query, executionTime);
    },
  });
}
