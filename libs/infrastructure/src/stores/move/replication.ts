import { setTimeout as sleep } from 'node:timers/promises';
import { MoveRefused } from '@app/application';
import type { Connection } from '../../postgres/connection.js';
import type { Sql } from '../../postgres/sql.js';
import { isCopied, tablesOfStores } from './moved-tables.js';

const POLL_MS = 200;
const PROGRESS_MS = 1_000;

/** Names the publication, the subscription and the slot. */
const nameOfMove = (storeId: number): string => `store_move_${storeId}`;

/** Selects the step that the target must see: its row arrives after everything that was written before. */
const MARKER = `step = 'closed'`;

export interface Clusters {
  readonly storeId: number;
  readonly source: Connection;
  readonly target: Connection;
  /** The address of the source as seen by the target's server. */
  readonly address: string;
}

/** Starts the replication, or restarts one that has stopped because of an error or before the switch. */
export async function beginReplication({ storeId, source, target, address }: Clusters): Promise<void> {
  const name = nameOfMove(storeId);
  if (!(await exists(source, 'SELECT FROM pg_publication WHERE pubname = $1', name))) {
    const tables = (await tablesOfStores(source)).filter(isCopied).map(({ name: table, columns }) => {
      const marker = table === 'store_moves' ? ` AND ${MARKER}` : '';
      return `${table} (${columns.join(', ')}) WHERE (store_id = ${storeId}${marker})`;
    });
    // The partitions of a table may have other names in the target, so changes name their parent. TRUNCATE is excluded:
    // it would empty the table for all stores at the target.
    await source.query(
      `/* moves.publish */ CREATE PUBLICATION ${name} FOR TABLE ${tables.join(', ')}
       WITH (publish_via_partition_root = true, publish = 'insert, update, delete')`,
    );
  }
  if (await exists(target, SUBSCRIPTION, name)) {
    await target.query(`/* moves.enable */ ALTER SUBSCRIPTION ${name} ENABLE`);
    return;
  }
  // A killed command can leave the slot of a subscription that was not created.
  await source.query(DROP_SLOT, [name]);
  // Logging is off for the statement, because the address contains a password.
  await target.query(HIDDEN);
  await target.query(
    `/* moves.subscribe */ CREATE SUBSCRIPTION ${name} CONNECTION ${quoted(address)} PUBLICATION ${name}
     WITH (disable_on_error = true)`,
  );
  await target.query(SHOWN);
}

/** Waits until every table is copied and later changes arrive. */
export async function waitForCopy(clusters: Clusters, onProgress: (detail: string) => void): Promise<void> {
  const name = nameOfMove(clusters.storeId);
  let shownAt = -PROGRESS_MS;
  for (;;) {
    await assertRuns(clusters);
    const [copy] = await clusters.target.query<{ ready: number; tables: number; rows: number }>(COPY, [name]);
    const [slot] = await clusters.source.query<{ lag: number | null }>(LAG, [name]);
    if (copy && copy.ready === copy.tables) return;
    const lag = Math.round((slot?.lag ?? 0) / 1_048_576);
    if (performance.now() - shownAt >= PROGRESS_MS) {
      shownAt = performance.now();
      onProgress(
        `${copy?.ready} of ${copy?.tables} tables copied, ${copy?.rows} rows of the current ones, ${lag} MB behind`,
      );
    }
    await sleep(POLL_MS);
  }
}

/**
 * Waits until the target has everything that the source had when it was closed. @returns whether it arrived in time.
 */
export async function arrives(clusters: Clusters, closedAt: Date, timeoutMs: number): Promise<boolean> {
  const { storeId, target } = clusters;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const sql = `/* moves.arrived */ SELECT FROM store_moves WHERE store_id = $1 AND step = 'closed' AND at = $2`;
    const rows = await target.query(sql, [storeId, closedAt]);
    if (rows.length > 0) return true;
    if (performance.now() > giveUpAt) return false;
    await assertRuns(clusters);
    await sleep(2);
  }
}

/**
 * Ends the replication, even when parts of it are already gone. The subscription is removed first: later deletions at
 * the source must not reach the target.
 */
export async function endReplication({ storeId, source, target }: Clusters): Promise<void> {
  const name = nameOfMove(storeId);
  if (await exists(target, SUBSCRIPTION, name)) {
    await target.query(`/* moves.disable */ ALTER SUBSCRIPTION ${name} DISABLE`);
    // The server drops the slot together with the subscription, and fails when a failover has lost the slot.
    if (!(await exists(source, SLOT, name))) {
      await target.query(`/* moves.detach */ ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`);
    }
    await target.query(`/* moves.unsubscribe */ DROP SUBSCRIPTION ${name}`);
  }
  await source.query(DROP_SLOT, [name]);
  await source.query(`/* moves.unpublish */ DROP PUBLICATION IF EXISTS ${name}`);
}

export async function stopReplication({ storeId, target }: Clusters): Promise<void> {
  const name = nameOfMove(storeId);
  if (await exists(target, SUBSCRIPTION, name)) {
    await target.query(`/* moves.disable */ ALTER SUBSCRIPTION ${name} DISABLE`);
  }
}

const HIDING = [
  'log_min_error_statement = panic',
  'log_statement = none',
  'log_min_duration_statement = -1',
  'log_min_duration_sample = -1',
  'log_transaction_sample_rate = 0',
  'pg_stat_statements.track = none',
  'track_activities = off',
];
export const HIDDEN = HIDING.map((setting) => `SET ${setting}`).join('; ');
export const SHOWN = HIDING.map((setting) => `RESET ${setting.split(' ')[0]}`).join('; ');

const SUBSCRIPTION = 'SELECT FROM pg_subscription WHERE subname = $1';
const SLOT = 'SELECT FROM pg_replication_slots WHERE slot_name = $1';

const DROP_SLOT = `/* moves.drop_slot */
  SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active`;

const COPY = `/* moves.copy */
  SELECT count(*) FILTER (WHERE srsubstate = 'r')::int AS ready, count(*)::int AS tables,
    (SELECT coalesce(sum(tuples_processed), 0)::float8 FROM pg_stat_progress_copy) AS rows
  FROM pg_subscription_rel JOIN pg_subscription ON pg_subscription.oid = srsubid WHERE subname = $1`;

const LAG = `/* moves.lag */
  SELECT (pg_current_wal_lsn() - confirmed_flush_lsn)::float8 AS lag FROM pg_replication_slots WHERE slot_name = $1`;

async function assertRuns({ storeId, target }: Clusters): Promise<void> {
  if (await exists(target, `${SUBSCRIPTION} AND subenabled`, nameOfMove(storeId))) return;
  throw new MoveRefused(
    'The target could not apply a change and stopped: see the log of its PostgreSQL. The store stays on the source: ' +
      'fix the cause and repeat the command, or abort the move with --abort.',
  );
}

export async function exists(sql: Sql, text: string, name: string): Promise<boolean> {
  return (await sql.query(text, [name])).length > 0;
}

/** Whether a move that brings the store to this cluster is still running. */
export const isReplicated = (sql: Sql, storeId: number): Promise<boolean> =>
  exists(sql, SUBSCRIPTION, nameOfMove(storeId));

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
