import type pg from 'pg';

/** An index or a key that is dropped before the rows are loaded, and built afterwards. */
interface PostDataItem {
  readonly drop: string;
  readonly build: string;
}

// During a load, PostgreSQL would check a key for each row, by a plan made when the tables were empty, and lock the row
// that it references. Built afterwards, the check is one join.
const FOREIGN_KEYS = `/* restore.foreign_keys */
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS build
  FROM pg_constraint
  WHERE connamespace = current_schema()::regnamespace AND contype = 'f' AND conparentid = 0
  ORDER BY conrelid::regclass::text, conname`;

// Tables only: a partition inherits the key of its parent.
const UNIQUE_KEYS = `/* restore.unique_keys */
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(pg_constraint.oid)) AS build
  FROM pg_constraint JOIN pg_class AS class ON class.oid = conrelid
  WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u') AND relkind = 'r' AND NOT relispartition
    AND relname <> 'migrations'
  ORDER BY relname, conname`;

const INDEXES = `/* restore.indexes */
  SELECT format('DROP INDEX %s', class.oid::regclass) AS drop, pg_get_indexdef(class.oid) AS build
  FROM pg_index JOIN pg_class AS class ON class.oid = indexrelid
  WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind = 'i' AND NOT class.relispartition
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid AND deptype = 'e')
  ORDER BY indrelid::regclass::text, class.relname`;

/**
 * Indexes and keys of all tables. Building them over the loaded rows is faster than maintaining them during the load.
 */
export class PostData {
  private constructor(
    private readonly client: pg.Client,
    private readonly items: readonly PostDataItem[],
  ) {}

  /** Drops them. A rollback of the transaction restores them. */
  static async drop(client: pg.Client): Promise<PostData> {
    const items: PostDataItem[] = [];
    // Foreign keys need the unique keys, so they are dropped first and built last.
    for (const kind of [FOREIGN_KEYS, INDEXES, UNIQUE_KEYS]) {
      items.push(...(await client.query<PostDataItem>(kind)).rows);
    }
    for (const { drop } of items) await client.query(drop);
    return new PostData(client, items.toReversed());
  }

  /**
   * Builds them again.
   *
   * @param onProgress receives the fraction built, from 0 to 1.
   * @throws DatabaseError when rows violate a key.
   */
  async build(onProgress: (done: number) => void): Promise<void> {
    await this.client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    for (const [n, { build }] of this.items.entries()) {
      await this.client.query(build);
      onProgress((n + 1) / this.items.length);
    }
  }
}
