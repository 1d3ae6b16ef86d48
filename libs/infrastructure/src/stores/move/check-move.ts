import { KEY_ID_BYTES } from '../../platform/data-cipher.js';
import type { Sql } from '../../postgres/sql.js';
import { ENCRYPTED_COLUMNS } from '../../secrets/encrypted-columns.js';
import { isCopied, tablesOfStores } from './moved-tables.js';
import { faultsOfAddress } from './reach-source.js';
import { isReplicated, type Clusters } from './replication.js';

interface Server {
  readonly cluster: string;
  readonly database: string;
  readonly timeline: string;
  readonly walLevel: string;
  readonly isStandby: boolean;
  readonly slotsLeft: number;
  readonly sendersLeft: number;
  readonly originsLeft: number;
  readonly workersLeft: number;
  readonly copiers: number;
  readonly mayReplicate: boolean;
  readonly role: string;
  readonly limits: readonly string[];
  readonly migrations: readonly string[];
}

type Condition = readonly [isMet: boolean, fault: string];

const SERVER = `/* moves.server */
  SELECT (SELECT system_identifier::text FROM pg_control_system()) AS cluster, current_database() AS database,
    current_setting('wal_level') AS "walLevel",
    CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline,
    pg_is_in_recovery() AS "isStandby", current_user AS role,
    current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots)::int AS "slotsLeft",
    current_setting('max_wal_senders')::int - (SELECT count(*) FROM pg_stat_replication)::int AS "sendersLeft",
    coalesce(current_setting('max_active_replication_origins', true), current_setting('max_replication_slots'))::int
      - (SELECT count(*) FROM pg_replication_origin)::int AS "originsLeft",
    least(current_setting('max_logical_replication_workers')::int, current_setting('max_worker_processes')::int - 1)
      - (SELECT count(pid) FROM pg_stat_subscription)::int AS "workersLeft",
    current_setting('max_sync_workers_per_subscription')::int AS copiers,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "mayReplicate",
    ARRAY(
      SELECT name FROM pg_settings
      WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')
        AND reset_val <> '0'
      ORDER BY name) AS limits,
    ARRAY(SELECT name::text FROM migrations ORDER BY name) AS migrations`;

/**
 * @returns why the store cannot be moved. @param keyIds the ids of the encryption keys that the target's processes
 * have.
 */
export async function faultsOfMove(
  clusters: Clusters,
  subdomain: string,
  keyIds: readonly string[],
): Promise<string[]> {
  const { storeId, source, target } = clusters;
  const [from, to] = [await serverOf(source), await serverOf(target)];
  if (from.migrations.join() !== to.migrations.join()) {
    return ['The schemas differ: run `npx store-commerce migrate` of the same release on both databases.'];
  }
  const isAble = [from, to].every(({ isStandby, mayReplicate }) => !isStandby && mayReplicate);
  const conditions: readonly Condition[] = [
    [!from.isStandby && !to.isStandby, 'A standby cannot take part: use the URLs of the primaries.'],
    [from.walLevel === 'logical', `The source has wal_level ${from.walLevel}: set it to logical and restart.`],
    // The subscription needs one slot, and another for each table that is being copied.
    room('The source', from.slotsLeft, to.copiers + 1, 'replication slots: raise max_replication_slots'),
    room('The source', from.sendersLeft, to.copiers + 1, 'WAL senders: raise max_wal_senders'),
    room(
      'The target',
      to.originsLeft,
      to.copiers + 1,
      'replication origins: raise max_active_replication_origins (before PostgreSQL 18: max_replication_slots)',
    ),
    // A worker applies the changes, and another copies tables.
    room(
      'The target',
      to.workersLeft,
      2,
      'replication workers: raise max_logical_replication_workers and max_worker_processes',
    ),
    [
      !(await isReplicated(source, storeId)),
      'The move that brought the store here has not finished: repeat its command first.',
    ],
    ...[from, to].map(
      ({ mayReplicate, role }) =>
        [mayReplicate, `The role ${role} must be a superuser while the store moves.`] as const,
    ),
  ];
  return [
    ...conditions.filter(([isMet]) => !isMet).map(([, fault]) => fault),
    // The connections of the replication have these limits, and the copy of a table takes long.
    ...[from, to].flatMap(({ limits, role }) =>
      limits.map((name) => `The role ${role} has a time limit: ALTER ROLE ${role} SET ${name} = 0.`),
    ),
    ...(await takenNames(clusters, subdomain)),
    ...(await leftRows(clusters)),
    ...(await unkeyedTables(source)),
    ...(await rowsOfExtensions(clusters)),
    ...(await unreadableSecrets(clusters, keyIds)),
    ...(isAble ? await faultsOfAddress(clusters, from.cluster) : []),
  ];
}

function room(where: string, left: number, needed: number, remedy: string): Condition {
  return [left >= needed, `${where} has ${Math.max(left, 0)} of ${needed} required free ${remedy}.`];
}

export async function clusterOf(sql: Sql): Promise<string> {
  return (await serverOf(sql)).cluster;
}

/** Identifies a database. A failover does not change it. */
export async function placeOf(sql: Sql): Promise<string> {
  const { cluster, database } = await serverOf(sql);
  return `${cluster} ${database}`;
}

/**
 * Identifies the state that the copy depends on. It changes after a failover, which may have lost the slot, or rows
 * that the target had confirmed. It also changes after a migration, whose columns and tables the publication lacks.
 */
export async function epochOf({ source, target }: Clusters): Promise<string> {
  const servers = [await serverOf(source), await serverOf(target)];
  return servers.map(({ timeline, migrations }) => `${timeline} ${migrations.length}`).join(', ');
}

async function serverOf(sql: Sql): Promise<Server> {
  return (await sql.query<Server>(SERVER))[0] as Server;
}

async function takenNames({ storeId, target }: Clusters, subdomain: string): Promise<string[]> {
  // @protects taken-store
  const sql = '/* moves.taken */ SELECT id, subdomain, status FROM stores WHERE id = $1 OR subdomain = $2';
  const rows = await target.query<{ id: number; subdomain: string; status: string }>(sql, [storeId, subdomain]);
  return rows.map((store) => {
    if (store.id !== storeId) return `The target has another store with the subdomain ${subdomain} (id ${store.id}).`;
    return store.subdomain === subdomain
      ? `The target already has the store, with the status ${store.status}: run \`stores forget ${subdomain}\` there to delete an old copy.`
      : `The target has the store ${store.subdomain} with the id ${store.id}: ids must differ between clusters (migrate --first-store-id).`;
  });
}

async function leftRows({ storeId, target }: Clusters): Promise<string[]> {
  const left: string[] = [];
  for (const { name } of await tablesOfStores(target)) {
    const rows = await target.query(`/* moves.left */ SELECT FROM ${name} WHERE store_id = $1 LIMIT 1`, [storeId]);
    if (rows.length > 0) left.push(name);
  }
  return left.length > 0 ? [`The target has rows of a store with the id ${storeId} in ${left.join(', ')}.`] : [];
}

async function unkeyedTables(source: Sql): Promise<string[]> {
  return (await tablesOfStores(source))
    .filter(isCopied)
    .filter(({ key, columns }) => key.length === 0 || !key.every((column) => columns.includes(column)))
    .map(({ name }) => `The table ${name} has no primary key that can be replicated.`);
}

const OTHER_TABLES = `/* moves.other_tables */
  SELECT format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND attname = 'store_id' AND NOT attisdropped
    AND nspname <> 'public' AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`;

async function rowsOfExtensions({ storeId, source }: Clusters): Promise<string[]> {
  const faults: string[] = [];
  for (const { name } of await source.query<{ name: string }>(OTHER_TABLES)) {
    const rows = await source.query(`/* moves.other_rows */ SELECT FROM ${name} WHERE store_id = $1 LIMIT 1`, [
      storeId,
    ]);
    if (rows.length > 0)
      faults.push(`The table ${name} of an extension has rows of the store, which a move does not copy.`);
  }
  return faults;
}

async function unreadableSecrets({ storeId, source }: Clusters, keyIds: readonly string[]): Promise<string[]> {
  const unknown = new Set<string>();
  for (const { table, column } of ENCRYPTED_COLUMNS) {
    const rows = await source.query<{ key: string }>(
      `/* moves.keys */ SELECT DISTINCT encode(substring(${column} FROM 1 FOR ${KEY_ID_BYTES}), 'hex') AS key
       FROM ${table} WHERE store_id = $1 AND ${column} IS NOT NULL`,
      [storeId],
    );
    for (const { key } of rows) if (!keyIds.includes(key)) unknown.add(key);
  }
  return [...unknown].map(
    (key) =>
      `DATA_ENCRYPTION_KEYS lacks the key ${key} of secrets of the store: run this command with the keys of the target's processes.`,
  );
}
