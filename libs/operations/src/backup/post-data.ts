import type pg from 'pg';

/** An index or a key that is left out while rows are loaded, and built once they are there. */
interface PostDataItem {
  readonly drop: string;
  readonly build: string;
}

// A key is checked for each row that comes in, by a plan made when the tables were empty, and locks the row that it
// names. Built afterwards, it is one join.
const FOREIGN_KEYS = `/* restore.foreign_keys */
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS build
  FROM pg_constraint
  WHERE connamespace = current_schema()::regnamespace AND contype = 'f' AND conparentid = 0
  ORDER BY conrelid::regclass::text, conname`;

// Of tables alone: a partition has the key of what it is a part of.
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

/** Indexes and keys of all tables, which are faster built over the rows than kept while they come in. */
export class PostData {
  private constructor(
    private readonly client: pg.Client,
    private readonly items: readonly PostDataItem[],
  ) {}

  /** Drops them; what is dropped is back when the transaction is undone. */
  static async drop(client: pg.Client): Promise<PostData> {
    const items: PostDataItem[] = [];
    // Foreign keys are built last, as they need the unique ones, and so are dropped first.
    for (const kind of [FOREIGN_KEYS, INDEXES, UNIQUE_KEYS]) {
      items.push(...(await client.query<PostDataItem>(kind)).rows);
    }
    for (const { drop } of items) await client.query(drop);
    return new PostData(client, items.toReversed());
  }

  /**
   * Builds them again.
   *
   * @param onProgress told how many are built, from 0 to 1.
   * @throws DatabaseError when rows do not meet a key.
   */
  async build(onProgress: (done: number) => void): Promise<void> {
    await this.client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    for (const [n, { build }] of this.items.entries()) {
      await this.client.query(build);
      onProgress((n + 1) / this.items.length);
    }
  }
}
