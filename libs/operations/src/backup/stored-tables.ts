import type pg from 'pg';

/** A table of the service with what a copy of it has to know. */
export interface StoredTable {
  readonly name: string;
  /** In the order of the table. Generated ones are missing: the database computes them again. */
  readonly columns: readonly string[];
  /** Bytes on disk, without indexes. */
  readonly size: number;
}

interface FoundTable extends StoredTable {
  /** Tables that its foreign keys name. */
  readonly needs: readonly string[];
}

// Everything that holds rows: partitions and not what they are parts of. The migrations are compared, not copied. The
// queue has a schema of its own, and nothing in it that the stages of orders could not tell again.
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

/** Every table, each after all that its foreign keys name. */
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

/** Names of the migrations that were applied, in order. */
export async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    '/* backup.migrations */ SELECT name FROM migrations ORDER BY id',
  );
  return rows.map(({ name }) => name);
}

/** The table and its columns as COPY names them. */
export function copyTarget(client: pg.Client, { name, columns }: Pick<StoredTable, 'name' | 'columns'>): string {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  return `${client.escapeIdentifier(name)} (${list})`;
}
