import pg from 'pg';
import { isSchemaCurrent } from './migrate.js';
import { assertDatabaseIsFit } from './unfit-database.js';
import { HELD_ORDERS, heldByReason, type HeldRow } from './count-held-orders.js';

const TIMEOUT_MS = 1_500;

/** The health check does not wait longer for the state of the pipeline. */
const PIPELINE_TIMEOUT_MS = 500;
const MOST_DEAD_LETTERS = 10_000;

// Each part reads only the first rows of an index. A job that failed for good is dead, not late. A running job is late
// only if its worker is gone. All jobs have the queue's default priority. A confirmation whose order was cancelled is
// not a dead letter. SET LOCAL limits only this query: behind a pooler, the connection serves other clients afterwards.
const PIPELINE_STATE = `/* health.pipeline */
  SET LOCAL statement_timeout = ${PIPELINE_TIMEOUT_MS};
  SET LOCAL enable_seqscan = off;
  SELECT
    (SELECT coalesce(extract(epoch FROM now() - min(due)), 0)::float8 FROM (
      (SELECT run_at AS due FROM graphile_worker._private_jobs
       WHERE is_available AND priority = 0 AND run_at <= now() ORDER BY run_at LIMIT 1)
      UNION ALL
      (SELECT run_at FROM graphile_worker._private_jobs
       WHERE NOT is_available AND locked_at < now() - interval '30 seconds' AND attempts < max_attempts
       ORDER BY locked_at LIMIT 100)
      UNION ALL
      (SELECT updated_at FROM order_stages WHERE state = 'pending' AND NOT queued ORDER BY updated_at LIMIT 1)
    ) AS waiting) AS "lagSeconds",
    (SELECT count(*)::int FROM (
      SELECT FROM order_stages WHERE state = 'dead' AND last_error <> 'order_cancelled' LIMIT ${MOST_DEAD_LETTERS}
    ) AS dead) AS "deadLetters"`;

export interface PipelineState {
  /** Age of the oldest stage that waits to be queued, or of the oldest due job; 0 without any. */
  readonly lagSeconds: number;
  /** Stages that failed for good; 10,000 means that or more. */
  readonly deadLetters: number;
  /** Orders under review by fraud rule; an order with two rules counts for both. At most 1,000 per set of rules. */
  readonly heldOrders: Readonly<Record<string, number>>;
}

export interface DatabaseState {
  readonly schemaCurrent: boolean;
  /** Null before the schema exists, and when its query fails or takes too long. */
  readonly pipeline: PipelineState | null;
}

/** Checks the database on a connection of its own: a full pool must not look like a dead database. */
export class DatabaseProbe {
  private client: pg.Client | null = null;

  constructor(private readonly url: string) {}

  /**
   * @throws UnfitDatabase when a new connection leads to one.
   * @throws when the database gives no answer within 1.5 s, or is a standby, which takes no orders and learns late of a
   *   revoked key.
   */
  async ask(): Promise<DatabaseState> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
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
    const { rows: found } = await client.query<{ standby: boolean }>(
      '/* health.standby */ SELECT pg_is_in_recovery() AS standby',
    );
    if (found[0]?.standby) throw new Error('it is a standby');
    const schemaCurrent = await isSchemaCurrent(rowsOf(client));
    if (!schemaCurrent) return { schemaCurrent, pipeline: null };
    return { schemaCurrent, pipeline: await pipelineState(client) };
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: TIMEOUT_MS,
      application_name: 'store-commerce-health',
    });
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

/** Null when the query fails: the queries before have shown that the database is usable. */
async function pipelineState(client: pg.Client): Promise<PipelineState | null> {
  try {
    // One answer for each statement.
    const answers = (await client.query(`${PIPELINE_STATE};${HELD_ORDERS}`)) as unknown as pg.QueryResult[];
    const [state, held] = answers.slice(-2).map(({ rows }) => rows as unknown[]);
    return { ...(state?.[0] as Omit<PipelineState, 'heldOrders'>), heldOrders: heldByReason(held as HeldRow[]) };
  } catch {
    return null;
  }
}
