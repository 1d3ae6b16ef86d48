import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { MetricsText } from './metrics-text.js';

/** How a statement reached the database: with a name, planned anew, inside a transaction, or by way of TypeORM. */
export type StatementKind = 'prepared' | 'planned' | 'transaction' | 'orm';

/** What became of an attempt at a stage: `failed` is tried again, `dead` is not. */
export type AttemptOutcome = 'done' | 'failed' | 'dead' | 'skipped';

/** Why a transaction is run again. */
export const RETRY_REASONS = ['deadlock', 'lock', 'conflict', 'connection'] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

/** What the pool of connections tells of itself. */
export interface PoolState {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** The figures of one process that API and worker have in common. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly text = new MetricsText(this.registry);

  private readonly statementDuration = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Time from asking for a statement to its answer, with the wait for a connection where it needs one',
    labelNames: ['kind'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  // Bound once: there are several statements in a request.
  private readonly statements: Readonly<Record<StatementKind, { observe(seconds: number): void }>> = {
    prepared: this.statementDuration.labels('prepared'),
    planned: this.statementDuration.labels('planned'),
    transaction: this.statementDuration.labels('transaction'),
    orm: this.statementDuration.labels('orm'),
  };

  // Two lines for each statement: a histogram for each would be most of the text.
  private readonly namedStatements = new Counter({
    name: 'database_statements_total',
    help: 'Statements by name',
    labelNames: ['statement'],
    registers: [this.registry],
  });
  private readonly namedSeconds = new Counter({
    name: 'database_statement_seconds_total',
    help: 'Time from asking for a statement to its answer, by the name of the statement',
    labelNames: ['statement'],
    registers: [this.registry],
  });

  private readonly transactionRetries = new Counter({
    name: 'database_transaction_retries_total',
    help: 'Transactions that are run again, by what ended them: a deadlock, a lock, a conflict or a lost connection',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly keyLookups = new Histogram({
    name: 'api_key_lookup_batch_size',
    help: 'Keys that were looked up by one statement',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [this.registry],
  });

  private readonly attempts = new Histogram({
    name: 'pipeline_attempt_duration_seconds',
    help: 'Attempts at the stages of orders, by what became of them',
    labelNames: ['stage', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers: [this.registry],
  });

  constructor() {
    for (const reason of RETRY_REASONS) this.transactionRetries.inc({ reason }, 0);
  }

  /** @param name as in `orders.insert`; `null` for a statement without one, such as COMMIT. */
  observeStatement(kind: StatementKind, name: string | null, seconds: number): void {
    this.statements[kind].observe(seconds);
    if (name === null) return;
    const statement = { statement: name };
    this.namedStatements.inc(statement);
    this.namedSeconds.inc(statement, seconds);
  }

  countRetry(reason: RetryReason): void {
    this.transactionRetries.inc({ reason });
  }

  observeKeyLookup(keys: number): void {
    this.keyLookups.observe(keys);
  }

  observeAttempt(stage: string, outcome: AttemptOutcome, seconds: number): void {
    this.attempts.observe({ stage, outcome }, seconds);
  }

  /** Adds the process itself: CPU, memory, and how long the event loop keeps what is due waiting. */
  observeProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Shows the pool as it is when the figures are asked for. */
  observePool(pool: () => PoolState): void {
    this.gauge('database_pool_in_use', 'Connections that are in use', () => pool().totalCount - pool().idleCount);
    this.gauge('database_pool_idle', 'Connections that are open and free', () => pool().idleCount);
    this.gauge('database_pool_waiting', 'Requests for a connection that wait for one', () => pool().waitingCount);
  }

  /** Shows how many log lines were lost since the start. */
  observeLog(droppedLines: () => number): void {
    new Counter({
      name: 'log_lines_dropped_total',
      help: 'Log lines that were lost because standard output was not read',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(droppedLines());
      },
    });
  }

  protected gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }
}
