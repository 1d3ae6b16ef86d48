import type pg from 'pg';

/** A table of the service, with the facts that copying it needs. */
export interface StoredTable {
  readonly name: string;
  /** In table order. Generated columns are missing: the database computes them. */
  readonly columns: readonly string[];
  /** Bytes on disk, without indexes. */
  readonly size: number;
}

interface FoundTable extends StoredTable {
  /** Tables that its foreign keys reference. */
  readonly needs: readonly string[];
}

// Every table that holds rows: partitions, not their parents. Migrations are compared, not copied.
const TABLES = `/* backup.tables */
  SELECT class.relname::text AS name, pg_table_size(class.oid)::float8 AS size,
    (SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
     WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    (SELECT coalesce(array_agg(DISTINCT target.relname::text), '{}') FROM pg_constraint
     JOIN pg_class AS target ON target.oid = confrelid
     WHERE conrelid = class.oid AND contype = 'f' AND confrelid <> class.oid) AS needs
  FROM pg_class AS class
  WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind = 'r' AND class.relname <> 'migrations'
  ORDER BY class.relname`;

/** Every table, each after the tables that its foreign keys reference. */
export async function storedTables(client: pg.Client): Promise<StoredTable[]> {
  const { rows } = await client.query<FoundTable>(TABLES);
  const ordered: FoundTable[] = [];
  const isPlaced = (name: string) =>
    ordered.some((table) => table.name === name) || !rows.some((row) => row.name === name);
  while (ordered.length < rows.length) {
    const next = rows.filter((table) => !ordered.includes(table) && table.needs.every(isPlaced));
    if (next.length === 0) throw new Error('Tables refer to each other in a circle');
    ordered.push(...next);
  }
  return ordered.map(({ name, columns, size }) => ({ name, columns, size }));
}

/** Names of the applied migrations, in order. */
export async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    '/* backup.migrations */ SELECT name FROM migrations ORDER BY id',
  );
  return rows.map(({ name }) => name);
}

/** The table and its columns in the syntax of COPY. */
export function copyTarget(client: pg.Client, { name, columns }: Pick<StoredTable, 'name' | 'columns'>): string {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  return `${client.escapeIdentifier(name)} (${list})`;
}
