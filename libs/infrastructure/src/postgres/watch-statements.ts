import type { DataSource } from 'typeorm';
import { tracedStatement, traceStatement } from '../platform/spans.js';
import { statementName } from '../platform/statement-name.js';
import type { DatabaseMetrics, StatementKind } from './database-metrics.js';

/** Traces the statement that `run` sends, and measures its time. It calls `run` synchronously. */
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

/** TypeORM sends some statements by itself. This adds them to the metrics and to the trace. */
export function watchDataSource(dataSource: DataSource, metrics: DatabaseMetrics): void {
  dataSource.subscribers.push({
    afterQuery: ({ query, executionTime = 0 }) => {
      metrics.observeStatement('orm', statementName(query), executionTime / 1000);
      traceStatement(query, executionTime);
    },
  });
}
