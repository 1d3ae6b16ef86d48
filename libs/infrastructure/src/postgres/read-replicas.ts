import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationError } from '@app/application';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { REPLICA_MS } from '@app/application';
import { type ReplicaState, ServiceMetrics } from '../platform/service-metrics.js';
import { replicaPool } from './data-source.js';
import { Database } from './database.js';
import { PositionHistory } from './replica-lag.js';
import type { Semaphore } from './semaphore.js';
import { isBadInput, isConnectionLost, isRetryable, isStatementTimeout, isTooLate } from './postgres-errors.js';
import { errorCode } from '../platform/error-code.js';

/** Time between probes of the replicas. An answer of a replica is at most two intervals and one probe old. */
const PROBE_INTERVAL_MS = 2_000;
const PROBE_TIMEOUT_MS = 1_500;
/** After this many looks without an answer of the primary, the lag of the replicas is unknown. */
const MOST_UNKNOWN_LOOKS = 3;
/** A position in the WAL. Positions of different timelines, before and after a fail-over, cannot be compared. */
interface Position {
  readonly timeline: string;
  readonly position: string;
}

// The name of a log file begins with its timeline, in 8 hexadecimal digits.
const POSITION = `/* replicas.position */
  SELECT lower(left(pg_walfile_name(pg_current_wal_lsn()), 8)) AS timeline, pg_current_wal_lsn()::text AS position`;

// A former primary, or a server after crash recovery, still reports its last replayed position. Its last checkpoint has
// the timeline: after a fail-over, a replica serves reads again after its next checkpoint, within minutes.
const HAS_REACHED = `/* replicas.has_reached */
  SELECT pg_is_in_recovery() AND lpad(to_hex(timeline_id), 8, '0') = $1 AND pg_last_wal_replay_lsn() >= $2::pg_lsn
    AS reached, CASE WHEN lpad(to_hex(timeline_id), 8, '0') = $1 THEN pg_last_wal_replay_lsn()::text END AS replayed
  FROM pg_control_checkpoint()`;

/** A server that follows the primary. */
class Replica {
  readonly database: Database;
  private readonly pool: pg.Pool;
  /** Separate: a pool full of slow reads must not look like a lost replica. */
  private readonly probePool: pg.Pool;
  /** Null before the first probe, which logs its result. */
  private upToDate: boolean | null = null;
  /** The last known position, of the primary's timeline. */
  replayed: string | null = null;

  constructor(
    url: string,
    poolSize: number,
    private readonly label: string,
    private readonly logger: Logger,
    metrics: ServiceMetrics | undefined,
  ) {
    this.pool = replicaPool(url, poolSize, REPLICA_MS);
    this.probePool = replicaPool(url, 1, PROBE_TIMEOUT_MS);
    this.database = new Database(() => this.pool, metrics);
  }

  get isUpToDate(): boolean {
    return this.upToDate === true;
  }

  /** @param expected the position in the primary's WAL that the replica must have reached. */
  async probe({ timeline, position }: Position): Promise<void> {
    const query = { text: HAS_REACHED, values: [timeline, position] };
    try {
      const { rows } = await this.probePool.query<{ reached: boolean | null; replayed: string | null }>(query);
      this.replayed = rows[0]?.replayed ?? this.replayed;
      this.note(rows[0]?.reached === true, 'is behind, or follows no primary');
    } catch {
      this.note(false, 'does not answer');
    }
  }

  note(upToDate: boolean, reason: string): void {
    if (upToDate === this.upToDate) return;
    this.upToDate = upToDate;
    if (upToDate) this.logger.log(`${this.label} is up to date: it answers reads`);
    else this.logger.warn(`${this.label} ${reason}: its reads go to the primary`);
  }

  async end(): Promise<void> {
    await Promise.all([this.pool.end(), this.probePool.end()]);
  }
}

/**
 * Runs reads that may be a few seconds old: on the replicas that keep up, in turn, or on the primary when there is
 * none. A replica that stops, or falls behind by more than two probes, gets no reads until it has caught up.
 */
export class ReadReplicas extends Database implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ReadReplicas');
  private readonly replicas: readonly Replica[];
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private turn = 0;
  private readonly history = new PositionHistory();

  /**
   * @param urls of servers that follow the primary by streaming replication; may be none.
   * @param searches the limit on searches of the primary's pool.
   */
  constructor(
    private readonly primary: () => pg.Pool,
    urls: readonly string[],
    poolSize: number,
    metrics?: ServiceMetrics,
    searches?: Semaphore,
  ) {
    super(primary, metrics, searches);
    this.replicas = urls.map(
      (url, index) => new Replica(url, poolSize, `Read replica ${index + 1}`, this.logger, metrics),
    );
    metrics?.observeReplicas(() => this.states);
  }

  get states(): readonly ReplicaState[] {
    return this.replicas.map(({ isUpToDate, replayed }) => ({
      isUpToDate,
      // NaN before the first answer. Grows while the replica does not answer.
      lagSeconds: replayed === null ? NaN : this.history.lagOf(replayed),
    }));
  }

  override query<Row>(text: string, values?: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    return this.read(
      (replica) => replica.query<Row>(text, values, timeoutMs),
      () => super.query<Row>(text, values, timeoutMs),
    );
  }

  override queryAlone<Row>(text: string, values: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    return this.read(
      (replica) => replica.queryAlone<Row>(text, values, timeoutMs),
      () => super.queryAlone<Row>(text, values, timeoutMs),
    );
  }

  override queryPrepared<Row>(text: string, values: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    return this.read(
      (replica) => replica.queryPrepared<Row>(text, values, timeoutMs),
      () => super.queryPrepared<Row>(text, values, timeoutMs),
    );
  }

  onApplicationBootstrap(): void {
    if (this.replicas.length > 0) this.watching = this.watch();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await Promise.all(this.replicas.map((replica) => replica.end()));
  }

  /** Reads from the primary when the replica is lost, slow, or had rows removed by replication during the read. */
  private async read<Row>(
    onReplica: (database: Database) => Promise<Row[]>,
    onPrimary: () => Promise<Row[]>,
  ): Promise<Row[]> {
    const replica = this.next();
    if (replica === undefined) return onPrimary();
    try {
      const rows = await onReplica(replica.database);
      if (rows.length > 0) return rows; // the primary may already have a row that the replica lacks
    } catch (error) {
      const source = error instanceof ApplicationError ? error.cause : error;
      // After the server's own time limit, the primary would have no time left.
      if (isBadInput(source) || isStatementTimeout(source)) throw error;
      // One slow answer does not mean that the replica is lost. The probe finds that out.
      if (isTooLate(source)) return onPrimary();
      if (isConnectionLost(source)) replica.note(false, 'was lost');
      else if (!isRetryable(source)) replica.note(false, `cannot answer (${errorCode(source)})`);
    }
    return onPrimary();
  }

  private keep(position: Position | null, before: Position | null): void {
    if (position === null) return;
    if (before !== null && before.timeline !== position.timeline) this.history.clear();
    this.history.note(position.position);
  }

  private next(): Replica | undefined {
    const usable = this.replicas.filter(({ isUpToDate }) => isUpToDate);
    return usable[this.turn++ % usable.length];
  }

  /** A replica is up to date when it has reached the primary's position at the previous probe. */
  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    const pool = watchPool(this.primary());
    let before: Position | null = null;
    let unknown = 0;
    while (!signal.aborted) {
      const position = await positionOf(pool);
      const expected: Position | null = before ?? position;
      const probes = expected === null ? [] : this.replicas.map((replica) => replica.probe(expected));
      this.keep(position, before);
      before = position;
      unknown = position === null ? unknown + 1 : 0;
      if (unknown >= MOST_UNKNOWN_LOOKS) {
        for (const replica of this.replicas) replica.note(false, 'may be far behind a primary that does not answer');
      }
      // In parallel: a silent replica must not delay the probes of the others.
      await Promise.all([...probes, sleep(PROBE_INTERVAL_MS, undefined, { signal }).catch(() => undefined)]);
    }
    await pool.end();
  }
}

/** One connection to the same server: a full pool must not look like a primary that does not answer. */
function watchPool({ options }: pg.Pool): pg.Pool {
  const limits = { max: 1, connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS };
  // The pool makes the password non-enumerable: a spread does not copy it.
  const pool = new pg.Pool({ ...options, password: options.password, ...limits });
  pool.on('error', () => undefined);
  return pool;
}

/** `null` when the primary does not answer. It may be busy, so the replicas keep their state for a few looks. */
async function positionOf(primary: pg.Pool): Promise<Position | null> {
  const { rows } = await primary.query<Position>(POSITION).catch(() => ({ rows: [] }));
  return rows[0] ?? null;
}
