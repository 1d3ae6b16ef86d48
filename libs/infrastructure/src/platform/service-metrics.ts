import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Attempt, StageResult } from '@app/application';
import { MetricsText } from './metrics-text.js';

/** The path of a statement: prepared, planned on each run, inside a transaction, or through TypeORM. */
export type StatementKind = 'prepared' | 'planned' | 'transaction' | 'orm';

/** Why a transaction is run again. */
export const RETRY_REASONS = ['deadlock', 'lock', 'conflict', 'connection'] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

/** Why the outcome of a commit is unknown: a lost connection, or a cancelled wait for the standbys. */
export const UNKNOWN_COMMIT_REASONS = ['connection', 'standby'] as const;
export type UnknownCommitReason = (typeof UNKNOWN_COMMIT_REASONS)[number];

/** The state of a connection pool. */
export interface PoolState {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** The metrics of one process that API and worker share. */
export class ServiceMetrics {
  private waitingTurns = () => 0;
  readonly registry = new Registry();
  readonly text = new MetricsText(this.registry);

  private readonly statementDuration = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Time from the request for a statement to its answer, including the wait for a connection',
    labelNames: ['kind'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  // Bound once, because a request runs several statements.
  private readonly statements: Readonly<Record<StatementKind, { observe(seconds: number): void }>> = {
    prepared: this.statementDuration.labels('prepared'),
    planned: this.statementDuration.labels('planned'),
    transaction: this.statementDuration.labels('transaction'),
    orm: this.statementDuration.labels('orm'),
  };

  // Two lines per statement: histograms would be most of the text.
  private readonly namedStatements = new Counter({
    name: 'database_statements_total',
    help: 'Statements by name',
    labelNames: ['statement'],
    registers: [this.registry],
  });
  private readonly namedSeconds = new Counter({
    name: 'database_statement_seconds_total',
    help: 'Time from the request for a statement to its answer, by the name of the statement',
    labelNames: ['statement'],
    registers: [this.registry],
  });

  private readonly transactionRetries = new Counter({
    name: 'database_transaction_retries_total',
    help: 'Retried transactions, by the cause: a deadlock, a lock timeout, a conflict or a lost connection',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly unknownCommits = new Counter({
    name: 'database_commits_unknown_total',
    help: 'Commits without a confirmation, by the cause: a lost connection, or a cancelled wait for the standbys',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly recoveredOrders = new Counter({
    name: 'orders_recovered_total',
    help: 'Orders acknowledged after the outcome of their commit was unknown',
    registers: [this.registry],
  });

  private readonly shortUnits = new Counter({
    name: 'stock_count_short_units_total',
    help: 'Units that were sold although a count did not find them',
    registers: [this.registry],
  });

  private readonly keyLookups = new Histogram({
    name: 'api_key_lookup_batch_size',
    help: 'API keys per look-up statement',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [this.registry],
  });

  private readonly attempts = new Histogram({
    name: 'pipeline_attempt_duration_seconds',
    help: 'Duration of attempts at pipeline stages, by outcome',
    labelNames: ['stage', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers: [this.registry],
  });

  private readonly deliveries = new Histogram({
    name: 'webhook_delivery_duration_seconds',
    help: 'Duration of attempts at messages of webhooks, by outcome',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20],
    registers: [this.registry],
  });

  constructor() {
    for (const reason of RETRY_REASONS) this.transactionRetries.inc({ reason }, 0);
    for (const reason of UNKNOWN_COMMIT_REASONS) this.unknownCommits.inc({ reason }, 0);
    for (const outcome of ['delivered', 'failed']) this.deliveries.zero({ outcome });
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

  countShortUnits(units: number): void {
    this.shortUnits.inc(units);
  }

  countUnknownCommit(reason: UnknownCommitReason): void {
    this.unknownCommits.inc({ reason });
  }

  countRecoveredOrder(): void {
    this.recoveredOrders.inc();
  }

  observeKeyLookup(keys: number): void {
    this.keyLookups.observe(keys);
  }

  observeAttempt(stage: string, outcome: StageResult['outcome'], seconds: number): void {
    this.attempts.observe({ stage, outcome }, seconds);
  }

  observeDelivery({ status, durationMs }: Attempt): void {
    const outcome = status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed';
    this.deliveries.observe({ outcome }, durationMs / 1000);
  }

  /** Adds the metrics of the process: CPU, memory and event-loop lag. */
  observeProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Adds the transactions that wait for their turn to those that wait for a connection. */
  observeTurns(waiting: () => number): void {
    this.waitingTurns = waiting;
  }

  /** Reads the state of the pool at each scrape. */
  observePool(pool: () => PoolState): void {
    this.gauge('database_pool_in_use', 'Connections in use', () => pool().totalCount - pool().idleCount);
    this.gauge('database_pool_idle', 'Open idle connections', () => pool().idleCount);
    this.gauge(
      'database_pool_waiting',
      'Callers that wait for a connection, or for the turn to take one',
      () => pool().waitingCount + this.waitingTurns(),
    );
  }

  /** Adds the number of log lines lost since the start. */
  observeLog(droppedLines: () => number): void {
    new Counter({
      name: 'log_lines_dropped_total',
      help: 'Log lines lost because standard output was not read',
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
