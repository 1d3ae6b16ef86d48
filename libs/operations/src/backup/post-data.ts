import type pg from 'pg';

/** A trigger, an index or a key that is dropped before the rows are loaded, and built afterwards. */
interface PostDataItem {
  readonly drop: string;
  readonly build: string;
}

// A COPY collects its rows for a trigger with a transition table, and inserts row by row before a row trigger, even when
// the trigger is disabled.
const TRIGGERS = `/* restore.triggers */
  SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS drop, pg_get_triggerdef(pg_trigger.oid) AS build
  FROM pg_trigger JOIN pg_class AS class ON class.oid = tgrelid
  WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal AND tgparentid = 0
  ORDER BY relname, tgname`;

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
 * Triggers, indexes and keys of all tables. Building indexes and keys over the loaded rows is faster than maintaining
 * them during the load.
 */
export class PostData {
  private constructor(
    private readonly client: pg.Client,
    private readonly triggers: readonly PostDataItem[],
    private readonly keys: readonly PostDataItem[],
  ) {}

  /** Drops them. A rollback of the transaction restores them. */
  static async drop(client: pg.Client): Promise<PostData> {
    const dropAll = async (kind: string) => {
      const { rows } = await client.query<PostDataItem>(kind);
      for (const { drop } of rows) await client.query(drop);
      return rows;
    };
    const triggers = await dropAll(TRIGGERS);
    // Foreign keys need the unique keys, so they are dropped first and built last.
    const foreignKeys = await dropAll(FOREIGN_KEYS);
    const indexes = await dropAll(INDEXES);
    const uniqueKeys = await dropAll(UNIQUE_KEYS);
    return new PostData(client, triggers, [...uniqueKeys, ...indexes, ...foreignKeys]);
  }

  /**
   * Builds the indexes and keys again.
   *
   * @param onProgress receives the fraction built, from 0 to 1.
   * @throws DatabaseError when rows violate a key.
   */
  async buildKeys(onProgress: (done: number) => void): Promise<void> {
    for (const [n, { build }] of this.keys.entries()) {
      await this.client.query(build);
      onProgress((n + 1) / this.keys.length);
    }
  }

  /** Creates the triggers again. They fire for rows that are written from now on. */
  async createTriggers(): Promise<void> {
    for (const { build } of this.triggers) await this.client.query(build);
  }
}
