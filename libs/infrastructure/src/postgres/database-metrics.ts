import type pg from 'pg';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** How a statement runs: prepared, planned on each run, inside a transaction, or through TypeORM. */
const STATEMENT_KINDS = ['prepared', 'planned', 'transaction', 'orm'] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

/** Why a transaction is retried. */
const RETRY_REASONS = ['deadlock', 'lock', 'conflict', 'connection'] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

/** Why the outcome of a commit is unknown: a lost connection, or a cancelled wait for the standbys. */
const UNKNOWN_COMMIT_REASONS = ['connection', 'standby'] as const;
export type UnknownCommitReason = (typeof UNKNOWN_COMMIT_REASONS)[number];

export class DatabaseMetrics {
  private readonly waitingForSlots: (() => number)[] = [];
  // The labels are bound once, because a request runs several statements.
  private readonly statements: ReadonlyMap<StatementKind, { observe(seconds: number): void }>;
  private readonly namedStatements: Counter;
  private readonly namedSeconds: Counter;
  private readonly transactionRetries: Counter;
  private readonly unknownCommits: Counter;

  constructor(private readonly registry = new Registry()) {
    const durations = new Histogram({
      name: 'database_statement_duration_seconds',
      help: 'Time from the request for a statement to its answer, including the wait for a connection',
      labelNames: ['kind'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    });
    this.statements = new Map(STATEMENT_KINDS.map((kind) => [kind, durations.labels(kind)]));
    // A counter needs two lines per statement: histograms would be most of the text.
    this.namedStatements = this.counter('database_statements_total', 'Statements by name', 'statement');
    this.namedSeconds = this.counter(
      'database_statement_seconds_total',
      'Time from the request for a statement to its answer, by the name of the statement',
      'statement',
    );
    this.transactionRetries = this.counter(
      'database_transaction_retries_total',
      'Retried transactions, by the cause: a deadlock, a lock timeout, a conflict or a lost connection',
      'reason',
    );
    this.unknownCommits = this.counter(
      'database_commits_unknown_total',
      'Commits without a confirmation, by the cause: a lost connection, or a cancelled wait for the standbys',
      'reason',
    );
    for (const reason of RETRY_REASONS) this.transactionRetries.inc({ reason }, 0);
    for (const reason of UNKNOWN_COMMIT_REASONS) this.unknownCommits.inc({ reason }, 0);
  }

  /** @param name such as `orders.insert`; `null` for a statement without a name, such as COMMIT. */
  observeStatement(kind: StatementKind, name: string | null, seconds: number): void {
    this.statements.get(kind)?.observe(seconds);
    if (name === null) return;
    this.namedStatements.inc({ statement: name });
    this.namedSeconds.inc({ statement: name }, seconds);
  }

  countRetry(reason: RetryReason): void {
    this.transactionRetries.inc({ reason });
  }

  countUnknownCommit(reason: UnknownCommitReason): void {
    this.unknownCommits.inc({ reason });
  }

  /** Adds the callers that wait in the service's own queues to those that wait for a connection. */
  observeSlots(waiting: () => number): void {
    this.waitingForSlots.push(waiting);
  }

  /** Reads the state of the pool at each scrape. */
  observePool(pool: Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>): void {
    this.gauge('database_pool_in_use', 'Connections in use', () => pool.totalCount - pool.idleCount);
    this.gauge('database_pool_idle', 'Open idle connections', () => pool.idleCount);
    const waiting = () => this.waitingForSlots.reduce((sum, waitingFor) => sum + waitingFor(), pool.waitingCount);
    this.gauge('database_pool_waiting', 'Callers that wait for a connection, or for a slot to take one', waiting);
  }

  private counter(name: string, help: string, label: string): Counter {
    return new Counter({ name, help, labelNames: [label], registers: [this.registry] });
  }

  private gauge(name: string, help: string, value: () => number): void {
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
