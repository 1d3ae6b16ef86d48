import pg from 'pg';
import { isSchemaCurrent } from '../postgres/migrate.js';
import type { SchemaMigrations } from '../postgres/own-migrations.js';
import { assertDatabaseIsFit } from '../postgres/unfit-database.js';
import { unnumbered } from '../changes/waiting-changes.js';
import { HELD_ORDERS, heldByReason, type HeldRow } from '../orders/count-held-orders.js';

const TIMEOUT_MS = 1_500;

/** The health check does not wait longer for one of its statements. */
const STATEMENT_TIMEOUT_MS = 500;
const MOST_DEAD_LETTERS = 10_000;

const OPTIONS = {
  connectionTimeoutMillis: TIMEOUT_MS,
  application_name: 'store-commerce-health',
  // In one packet: each answer would wait for a turn of a busy event loop.
  pipeline: true,
};

// SET LOCAL limits only this query: behind a pooler, the connection serves other clients afterwards. Without JIT, which the
// cost of a scan that cannot be avoided would start: it takes longer than all of these statements.
const LIMITS = `SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET LOCAL enable_seqscan = off; SET LOCAL jit = off`;

// Each part reads only the first rows of an index. A stage that a worker holds is late only if the worker is gone.
const PIPELINE_STATE = `/* health.pipeline */ ${LIMITS};
  SELECT
    coalesce((SELECT extract(epoch FROM now() - run_at) FROM order_stages
      WHERE state = 'pending' AND run_at <= now() AND (locked_until IS NULL OR locked_until < now())
      ORDER BY run_at LIMIT 1), 0)::float8 AS "lagSeconds",
    (SELECT count(*)::int FROM (
      SELECT FROM order_stages
      WHERE state = 'dead' AND NOT set_aside AND updated_at > now() - interval '24 hours' LIMIT ${MOST_DEAD_LETTERS}
    ) AS dead) AS "deadLetters",
    (SELECT count(*)::int FROM webhooks WHERE state = 'paused' AND reason <> 'requested') AS "pausedWebhooks",
    coalesce((SELECT extract(epoch FROM now() - min(next.changed_at)) FROM webhooks
      CROSS JOIN LATERAL unnest(kinds) AS wanted (kind)
      CROSS JOIN LATERAL (
        SELECT changed_at FROM changes
        WHERE changes.store_id = webhooks.store_id AND changes.kind = wanted.kind
          AND changes.position > webhooks.position
        ORDER BY changes.position LIMIT 1
      ) AS next
      WHERE webhooks.state = 'active'), 0)::float8 AS "webhookLagSeconds"`;

// One row of an index for each store. Shared changes are numbered together with the changes of their store.
const WAITING_CHANGES = `/* health.feed */
  SELECT coalesce(pg_sequence_last_value('change_log_id_seq'), 0)::float8 AS newest, (
    SELECT min(waiting.id) FROM stores CROSS JOIN LATERAL (
      SELECT id FROM ${unnumbered('stores.id')} ORDER BY id LIMIT 1
    ) AS waiting)::float8 AS oldest`;

// A slot that has lost its WAL retains none.
const SLOTS = `/* health.wal */ ${LIMITS};
  SELECT slot_name AS name, wal_status AS "walStatus",
    coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 AS "retainedBytes"
  FROM pg_replication_slots`;

export interface PipelineState {
  /** How long the oldest due stage has waited for a worker; 0 without any. */
  readonly lagSeconds: number;
  /** Stages that failed for good within 24 h, without those that are set aside; 10,000 means that or more. */
  readonly deadLetters: number;
  /** Webhooks that the service has paused. */
  readonly pausedWebhooks: number;
  /** Age of the oldest change that an active webhook has not delivered; 0 without any. */
  readonly webhookLagSeconds: number;
  /** Orders under review by fraud rule; an order with two rules counts for both. At most 1,000 per set of rules. */
  readonly heldOrders: Readonly<Record<string, number>>;
}

/** What keeps WAL on the server for a standby or another reader. */
export interface ReplicationSlot {
  readonly name: string;
  /** Null for a slot that reserves nothing. */
  readonly walStatus: 'reserved' | 'extended' | 'unreserved' | 'lost' | null;
  readonly retainedBytes: number;
}

/** The parts are null before the schema exists, and when their query fails or takes too long. */
export interface DatabaseState {
  readonly schemaCurrent: boolean;
  readonly pipeline: PipelineState | null;
  /** How long committed changes have waited for their position in the feed, as far as this process has seen. */
  readonly feedLagSeconds: number | null;
  readonly slots: readonly ReplicationSlot[] | null;
}

/** Checks the database on a connection of its own: a full pool must not look like a dead database. */
export class DatabaseProbe {
  private client: pg.Client | null = null;
  /** The newest change of a moment, until all changes up to it have positions. */
  private numbered = { through: 0, since: 0 };

  /** @param migrations of extensions. */
  constructor(
    private readonly url: string,
    private readonly migrations: readonly SchemaMigrations[] = [],
  ) {}

  /**
   * @throws UnfitDatabase when a new connection leads to one.
   * @throws when the database gives no answer within 1.5 s, or is a standby, which takes no orders and learns late of a
   *   revoked key.
   */
  async ask(): Promise<DatabaseState> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      // After a look at the connection: a busy event loop may not have read an answer that is there.
      const fail = () => setImmediate(reject, new Error(`no answer within ${TIMEOUT_MS} ms`));
      timer = setTimeout(fail, TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.askNow(), timeout]);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Does not wait: a server that does not answer queries does not answer a goodbye either. */
  close(): void {
    const client = this.client;
    this.client = null;
    void client?.end().catch(() => undefined);
  }

  private async askNow(): Promise<DatabaseState> {
    const client = this.client ?? (await this.connect());
    const [{ rows: found }, schemaCurrent, waiting, slots] = await Promise.all([
      client.query<{ standby: boolean }>('/* health.standby */ SELECT pg_is_in_recovery() AS standby'),
      isSchemaCurrent(rowsOf(client), this.migrations),
      known(client, `${PIPELINE_STATE};${HELD_ORDERS};${WAITING_CHANGES}`),
      known(client, SLOTS),
    ]);
    if (found[0]?.standby) throw new Error('it is a standby');
    const [pipeline, held, changes] = waiting ?? [];
    return {
      schemaCurrent,
      pipeline: pipeline ? pipelineState(pipeline, held as HeldRow[]) : null,
      feedLagSeconds: changes ? this.feedLag(changes[0] as WaitingChanges) : null,
      slots: (slots?.[0] as ReplicationSlot[] | undefined) ?? null,
    };
  }

  /** A change has no time of its commit, so the age of the oldest is the time since it was among the newest. */
  private feedLag({ newest, oldest }: WaitingChanges): number {
    const { through } = this.numbered;
    const now = performance.now();
    // A restore or a fail-over may take the sequence back.
    if (oldest === null || oldest > through || newest < through) this.numbered = { through: newest, since: now };
    return oldest === null ? 0 : (now - this.numbered.since) / 1_000;
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, ...OPTIONS });
    // Without a listener, the loss of an idle connection would end the process. The next query notices the loss.
    client.on('error', () => this.client === client && (this.client = null));
    this.client = client;
    await client.connect();
    await assertDatabaseIsFit(rowsOf(client));
    return client;
  }
}

function rowsOf(client: pg.Client) {
  return async (text: string, values: unknown[]) => (await client.query<object>(text, values)).rows;
}

interface WaitingChanges {
  readonly newest: number;
  readonly oldest: number | null;
}

/**
 * The rows of each statement; null when one fails or takes too long: the other queries show whether the database is
 * usable.
 */
async function known(client: pg.Client, statements: string): Promise<unknown[][] | null> {
  try {
    // One answer for each statement, those of the limits included.
    const answers = (await client.query(statements)) as unknown as pg.QueryResult[];
    return answers.slice(3).map(({ rows }) => rows as unknown[]);
  } catch {
    return null;
  }
}

function pipelineState([state]: unknown[], held: readonly HeldRow[]): PipelineState {
  return { ...(state as Omit<PipelineState, 'heldOrders'>), heldOrders: heldByReason(held) };
}
