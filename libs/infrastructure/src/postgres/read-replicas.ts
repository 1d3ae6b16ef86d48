import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationError } from '@app/application';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { REPLICA_MS } from '@app/application';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { replicaPool } from './data-source.js';
import { Database } from './database.js';
import type { Semaphore } from './semaphore.js';
import { isBadInput, isConnectionLost, isRetryable, isStatementTimeout, isTooLate } from './postgres-errors.js';
import { errorCode } from '../platform/error-code.js';

/** How often it is asked how far each replica is. What a replica answers is at most twice as old, and a probe. */
const PROBE_INTERVAL_MS = 2_000;
const PROBE_TIMEOUT_MS = 1_500;
/** After so many looks without an answer of the primary it is not known how far behind the replicas are. */
const MOST_UNKNOWN_LOOKS = 3;
/** How far a server has come. Positions of different timelines, before and after a fail-over, cannot be compared. */
interface Position {
  readonly timeline: string;
  readonly position: string;
}

// The name of a log file begins with its timeline, in 8 hexadecimal digits.
const POSITION = `/* replicas.position */
  SELECT lower(left(pg_walfile_name(pg_current_wal_lsn()), 8)) AS timeline, pg_current_wal_lsn()::text AS position`;

// A server that was a primary, or recovered from a crash, still tells how far it had replayed. Its last checkpoint tells
// the timeline: after a fail-over a replica is used again when it has made one, within minutes.
const HAS_REACHED = `/* replicas.has_reached */
  SELECT pg_is_in_recovery() AND lpad(to_hex(timeline_id), 8, '0') = $1 AND pg_last_wal_replay_lsn() >= $2::pg_lsn
    AS reached
  FROM pg_control_checkpoint()`;

/** A server that follows the primary. */
class Replica {
  readonly database: Database;
  private readonly pool: pg.Pool;
  /** Of its own: a pool full of slow reads must not look like a lost replica. */
  private readonly probePool: pg.Pool;
  /** Unknown before the first probe, which says what it found. */
  private upToDate: boolean | null = null;

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

  /** @param expected what it must have reached by now in the primary's log. */
  async probe({ timeline, position }: Position): Promise<void> {
    const query = { text: HAS_REACHED, values: [timeline, position] };
    try {
      const { rows } = await this.probePool.query<{ reached: boolean | null }>(query);
      this.note(rows[0]?.reached === true, 'is behind, or follows nobody');
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
 * Reads that may be a few seconds old: of the replicas that keep up, in turn, and of the primary when there is none. A
 * replica that stops, or falls behind by more than two probes, is left alone until it has caught up.
 */
export class ReadReplicas extends Database implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ReadReplicas');
  private readonly replicas: readonly Replica[];
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private turn = 0;

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
  }

  override query<Row>(text: string, values?: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    return this.read(
      (replica) => replica.query<Row>(text, values, timeoutMs),
      () => super.query<Row>(text, values, timeoutMs),
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

  /** What a replica cannot answer, or not in time, because it went away or because replication removed what was read, the primary can. */
  private async read<Row>(
    onReplica: (database: Database) => Promise<Row[]>,
    onPrimary: () => Promise<Row[]>,
  ): Promise<Row[]> {
    const replica = this.next();
    if (replica === undefined) return onPrimary();
    try {
      const rows = await onReplica(replica.database);
      if (rows.length > 0) return rows; // what it does not have, the primary may have by now
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

  private next(): Replica | undefined {
    const usable = this.replicas.filter(({ isUpToDate }) => isUpToDate);
    return usable[this.turn++ % usable.length];
  }

  /** A replica is up to date when it has reached, now, what the primary had written at the probe before. */
  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    const pool = watchPool(this.primary());
    let before: Position | null = null;
    let unknown = 0;
    while (!signal.aborted) {
      const position = await positionOf(pool);
      const expected: Position | null = before ?? position;
      const probes = expected === null ? [] : this.replicas.map((replica) => replica.probe(expected));
      before = position;
      unknown = position === null ? unknown + 1 : 0;
      if (unknown >= MOST_UNKNOWN_LOOKS) {
        for (const replica of this.replicas) replica.note(false, 'may be far behind a primary that does not answer');
      }
      // At the same time: one that is silent must not make the others' answers older.
      await Promise.all([...probes, sleep(PROBE_INTERVAL_MS, undefined, { signal }).catch(() => undefined)]);
    }
    await pool.end();
  }
}

/** One connection to the same server: a full pool must not look like a primary that does not answer. */
function watchPool({ options }: pg.Pool): pg.Pool {
  const limits = { max: 1, connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS };
  // The pool hides the password from those who list its options.
  const pool = new pg.Pool({ ...options, password: options.password, ...limits });
  pool.on('error', () => undefined);
  return pool;
}

/** `null` when it does not tell: for a few looks the replicas stay what they were, as it may be busy. */
async function positionOf(primary: pg.Pool): Promise<Position | null> {
  const { rows } = await primary.query<Position>(POSITION).catch(() => ({ rows: [] }));
  return rows[0] ?? null;
}
