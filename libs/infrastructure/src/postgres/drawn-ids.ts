/** The numbers of a table, which all stores draw. */
export interface IdSequence {
  readonly table: string;
  /** SQL: which of the ids `$1` no row has, of the store `$2` unless the table is of all stores. */
  readonly free: string;
  /** SQL: `$1` next ids, without those that a row has. */
  readonly draw: string;
}

/** @param prefix of the names of its statements. */
export function idSequence(prefix: string, table: string, isGlobal = false): IdSequence {
  const sequence = `pg_get_serial_sequence('${table}', 'id')`;
  // OFFSET keeps the planner from reading the ids of the whole table.
  const isFree = `NOT EXISTS (SELECT FROM ${table} AS taken
      WHERE ${isGlobal ? '' : 'taken.store_id = $2 AND '}taken.id = n.id OFFSET 0)`;
  return {
    table,
    // A store's id below the start is another cluster's.
    free: `/* ${prefix}.free_ids */
    SELECT id FROM unnest($1::int[]) AS n (id)
    WHERE id >= (SELECT seqstart FROM pg_sequence WHERE seqrelid = ${sequence}::regclass) AND ${isFree}`,
    draw: `/* ${prefix}.draw_ids */
    SELECT id FROM (SELECT nextval(${sequence})::int AS id FROM generate_series(1, $1::int)) AS n WHERE ${isFree}`,
  };
}

type QueryIds = (sql: string, value: unknown) => Promise<readonly number[]>;

/**
 * Numbers, by table, that a transaction has drawn from the sequences of all stores. After a rollback they are spare, and go to
 * later rows: requests that are refused again and again use up no sequence.
 */
export class DrawnIds {
  private readonly drawn: { readonly table: string; readonly ids: readonly number[] }[] = [];

  constructor(private readonly spare = new Map<string, number[]>()) {}

  /** @param kept numbers that rows of the transaction have already. @returns `count` numbers that no row has, spare ones first. */
  async draw(
    query: QueryIds,
    { table, free, draw }: IdSequence,
    count: number,
    kept: ReadonlySet<unknown> = new Set(),
  ): Promise<number[]> {
    const ids: number[] = [];
    const drawn: number[] = [];
    this.drawn.push({ table, ids: drawn });
    // The sequence may still come to a number that a row has been given.
    while (ids.length < count) {
      const most = count - ids.length;
      const spare = this.spare.get(table)?.splice(0, most) ?? [];
      const found = await (spare.length > 0 ? query(free, spare) : query(draw, most));
      // Also those that are not wanted: they are spare again when their rows are not committed.
      drawn.push(...found);
      ids.push(...found.filter((id) => !kept.has(id)));
    }
    return ids;
  }

  /** The ids of a savepoint. */
  nested(): DrawnIds {
    return new DrawnIds(this.spare);
  }

  keep(nested: DrawnIds): void {
    this.drawn.push(...nested.drawn);
  }

  /** Only when no row that has them can be committed. */
  returnUnused(): void {
    for (const { table, ids } of this.drawn.splice(0))
      this.spare.set(table, [...(this.spare.get(table) ?? []), ...ids]);
  }
}

/** @param work a try of a transaction, which rolls back when it fails. */
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
