/** The id sequence of a table, which all stores share. */
export interface IdSequence {
  readonly table: string;
  /**
   * SQL that returns which of the ids `$1` are free. For a table that is not global, it checks the rows of the store
   * `$2`.
   */
  readonly free: string;
  /** SQL that draws the next `$1` ids, and omits those that a row has. */
  readonly draw: string;
}

/** @param prefix the prefix of its statement names. */
export function idSequence(prefix: string, table: string, isGlobal = false): IdSequence {
  const sequence = `pg_get_serial_sequence('${table}', 'id')`;
  // OFFSET keeps the planner from reading the ids of the whole table.
  const isFree = `NOT EXISTS (SELECT FROM ${table} AS taken
      WHERE ${isGlobal ? '' : 'taken.store_id = $2 AND '}taken.id = n.id OFFSET 0)`;
  return {
    table,
    // A store's id below the start belongs to another cluster.
    free: `/* ${prefix}.free_ids */
    SELECT id FROM unnest($1::int[]) AS n (id)
    WHERE id >= (SELECT seqstart FROM pg_sequence WHERE seqrelid = ${sequence}::regclass) AND ${isFree}`,
    draw: `/* ${prefix}.draw_ids */
    SELECT id FROM (SELECT nextval(${sequence})::int AS id FROM generate_series(1, $1::int)) AS n WHERE ${isFree}`,
  };
}

type QueryIds = (sql: string, value: unknown) => Promise<readonly number[]>;

/**
 * Ids, by table, that a transaction has drawn from the sequences that all stores share. After a rollback they are
 * spare, and later rows use them: requests that are refused again and again use up no sequence.
 */
export class DrawnIds {
  private readonly drawn: { readonly table: string; readonly ids: readonly number[] }[] = [];

  constructor(private readonly spare = new Map<string, number[]>()) {}

  /** @param kept ids that rows of the transaction already have. @returns `count` free ids, spare ones first. */
  async draw(
    query: QueryIds,
    { table, free, draw }: IdSequence,
    count: number,
    kept: ReadonlySet<unknown> = new Set(),
  ): Promise<number[]> {
    const ids: number[] = [];
    const drawn: number[] = [];
    this.drawn.push({ table, ids: drawn });
    // The sequence may still reach an id that a row was given explicitly.
    while (ids.length < count) {
      const most = count - ids.length;
      const spare = this.spare.get(table)?.splice(0, most) ?? [];
      const found = await (spare.length > 0 ? query(free, spare) : query(draw, most));
      // Surplus ids are recorded as well: they are spare again if the transaction is not committed. A loop, because a call
      // has no room for hundreds of thousands of arguments.
      for (const id of found) {
        drawn.push(id);
        if (!kept.has(id)) ids.push(id);
      }
    }
    return ids;
  }

  /** Returns the ids of a savepoint. */
  nested(): DrawnIds {
    return new DrawnIds(this.spare);
  }

  keep(nested: DrawnIds): void {
    this.drawn.push(...nested.drawn);
  }

  /** Must be called only when no row with these ids can still be committed. */
  returnUnused(): void {
    for (const { table, ids } of this.drawn.splice(0))
      this.spare.set(table, [...(this.spare.get(table) ?? []), ...ids]);
  }
}

/** @param work one attempt of a transaction, which rolls back when it fails. */
export async function returningUnusedIds<T>(
  spare: Map<string, number[]>,
  work: (drawnIds: DrawnIds) => Promise<T>,
): Promise<T> {
  const drawnIds = new DrawnIds(spare);
  try {
    return await work(drawnIds);
  } catch (error) {
    drawnIds.returnUnused();
    throw error;
  }
}
