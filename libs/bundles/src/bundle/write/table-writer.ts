import { folded, idSequence, type DrawnIds, type Sql } from '@app/infrastructure';
import { BundleLineError } from '../check/faults.js';
import { MAX_ID } from '../schema/vocabulary.js';
import type { Outcome } from './import-counts.js';

/** The columns of a row. An absent column keeps its value, or gets its default in a new row. */
export type Row = Readonly<Record<string, unknown>>;

interface OfLine {
  readonly number: number;
}

/** Omits the lines, or parts of lines, for which `read` throws a BundleLineError. */
export type ReadGood = <T extends OfLine, Result>(lines: readonly T[], read: (line: T) => Result) => Result[];

interface OfBatch {
  readonly good: ReadGood;
  readonly drawnIds: DrawnIds;
}

export interface Written<Id> {
  readonly id: Id;
  readonly outcome: Outcome;
}

export interface TableSpec {
  readonly table: string;
  /** The id column; by default, `id`. */
  readonly id?: string;
  /** The key columns in addition to `store_id`. */
  readonly key: readonly string[];
  /** Other columns that an import may set, with the default values of a new row. */
  readonly columns: Row;
  /** What a new row needs, as fields of its line, such as `product.name`. */
  readonly required?: readonly string[];
  /** Whether ids come from a sequence. A new row may give its own id, and gets it when it is free. */
  readonly numbered?: boolean;
  readonly global?: boolean;
  /** Whether the key is the same in any letter case. */
  readonly anyCase?: boolean;
}

/** Writes rows of a table, and does not touch equal ones: a repeated import leaves no dead rows. */
export class TableWriter<Id extends number | string> {
  private readonly statements: ReturnType<typeof statements>;

  constructor(readonly spec: TableSpec) {
    this.statements = statements(spec);
  }

  find(sql: Sql, storeId: number, keys: readonly Row[]): Promise<Map<string, Id>> {
    return this.select(sql, this.statements.find, storeId, keys);
  }

  /** Omits new rows that lack required values. */
  async write<T extends { readonly number: number; readonly row: Row }>(
    sql: Sql,
    storeId: number,
    given: readonly T[],
    { good, drawnIds }: OfBatch,
  ): Promise<(T & Written<Id>)[]> {
    // The rows are locked first, so that the comparison sees the values that the update will replace.
    const existing = await this.select(
      sql,
      this.statements.lock,
      storeId,
      given.map(({ row }) => row),
    );
    const complete = good(given, (each) => (existing.has(this.keyOf(each.row)) ? each : this.complete(each)));
    const rows = complete.map(({ row }) => row);
    const old = rows.filter((row) => existing.has(this.keyOf(row)));
    const newRows = rows.filter((row) => !existing.has(this.keyOf(row)));
    const hasColumns = Object.keys(this.spec.columns).length > 0;
    const changed = await this.select(sql, this.statements.update, storeId, hasColumns ? old : []);
    const numbered = this.spec.numbered ? await this.withIds(sql, storeId, newRows, drawnIds) : newRows;
    const created = await this.select(
      sql,
      this.statements.insert,
      storeId,
      numbered,
      JSON.stringify(this.spec.columns),
    );
    return complete.map((each) => {
      const key = this.keyOf(each.row);
      const id = created.get(key) ?? existing.get(key);
      if (id === undefined) throw new Error(`A row of ${this.spec.table} was not written`);
      return { ...each, id, outcome: created.has(key) ? 'created' : changed.has(key) ? 'updated' : 'unchanged' };
    });
  }

  private complete<T extends { readonly number: number; readonly row: Row }>(line: T): T {
    const { required = [] } = this.spec;
    const missing = required.find((field) => line.row[field.slice(field.indexOf('.') + 1)] === undefined);
    if (missing !== undefined) throw new BundleLineError(line.number, `${missing} is required`);
    return line;
  }

  /** Gives each row the id that it requests, if no row has it. */
  private async withIds(sql: Sql, storeId: number, rows: readonly Row[], drawnIds: DrawnIds): Promise<Row[]> {
    const given = [...new Set(rows.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])))];
    const scope = this.spec.global ? [] : [storeId];
    const ids = async (text: string, value: unknown) =>
      (await sql.query<{ id: number }>(text, [value, ...scope])).map(({ id }) => id);
    const free = new Set(given.length > 0 ? await ids(this.statements.sequence.free, given) : []);
    const numbers = rows.map(({ id }) => (typeof id === 'number' && free.delete(id) ? id : null));
    const kept = new Set(numbers);
    const missing = numbers.filter((id) => id === null).length;
    const drawn = await drawnIds.draw(ids, this.statements.sequence, missing, kept);
    let next = 0;
    return rows.map((row, index) => ({ ...row, id: numbers[index] ?? drawn[next++] }));
  }

  /**
   * Moves the sequence past an id that rows were given, so that later draws skip fewer rows. The move outlasts a
   * rollback. A very high id moves nothing: otherwise, the rows of all stores would get ids that no bundle can have.
   */
  async passId(sql: Sql, id: number): Promise<void> {
    await sql.query(this.statements.passIds, [id]);
  }

  keyOf(row: Row): string {
    return this.textOf(this.spec.key.map((column) => row[column]));
  }

  private textOf(key: readonly unknown[]): string {
    const text = JSON.stringify(key);
    return this.spec.anyCase ? folded(text) : text;
  }

  private async select(
    sql: Sql,
    text: string,
    storeId: number,
    rows: readonly Row[],
    ...more: unknown[]
  ): Promise<Map<string, Id>> {
    if (rows.length === 0) return new Map();
    const scope = this.spec.global ? [] : [storeId];
    const found = await sql.query<{ id: Id; key: unknown[] }>(text, [JSON.stringify(rows), ...scope, ...more]);
    return new Map(found.map(({ id, key }) => [this.textOf(key), id]));
  }
}

/** Ids above this are reserved for rows of all stores. */
const MAX_PASSED = MAX_ID - 100_000_000;

// The names of tables and columns are constants of the code, never input.
function statements({ table, id = 'id', key, columns: values, numbered, global, anyCase }: TableSpec) {
  const columns = Object.keys(values);
  const all = [...key, ...columns];
  const of = (alias: string, names: readonly string[]) => names.map((column) => `${alias}.${column}`).join(', ');
  const keyed = (column: string) => (anyCase ? `lower(${column} COLLATE "C")` : column);
  const sameKey = key.map((column) => `${keyed(`o.${column}`)} = ${keyed(`k.${column}`)}`).join(' AND ');
  const matching = `
    FROM jsonb_array_elements($1::jsonb) AS given (fields)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, given.fields) AS k
    JOIN ${table} AS o ON ${global ? '' : 'o.store_id = $2 AND '}${sameKey}`;
  const find = `SELECT o.${id} AS id, jsonb_build_array(${of('o', key)}) AS key ${matching}`;
  const scope = global ? '' : 'store_id, ';
  const sequence = `pg_get_serial_sequence('${table}', 'id')`;
  // An existing row keeps its id.
  const kept = `given.fields${numbered ? ` - 'id'` : ''}`;
  return {
    find: `/* import.${table}.find */ ${find}`,
    lock: `/* import.${table}.lock */ ${find} ORDER BY o.${id} FOR NO KEY UPDATE OF o`,
    // The update sets no key columns: that takes a stronger lock, which blocks orders being placed.
    update: `/* import.${table}.update */
    WITH changed AS (
      UPDATE ${table} AS t
      SET (${columns.join(', ')}) = ROW (${of('n', columns)})
      ${matching}
      CROSS JOIN LATERAL jsonb_populate_record(o, ${kept}) AS n
      WHERE t.${id} = o.${id} ${global ? '' : 'AND t.store_id = o.store_id'} AND n IS DISTINCT FROM o
      RETURNING t.${id} AS id, jsonb_build_array(${of('t', key)}) AS key)
    SELECT id, key FROM changed`,
    insert: `/* import.${table}.insert */
    INSERT INTO ${table} (${scope}${numbered ? 'id, ' : ''}${all.join(', ')})
    SELECT ${global ? '' : '$2::int, '}${numbered ? 'n.id, ' : ''}${of('n', all)}
    FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given (fields, position)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, jsonb_build_object('created_at', now()) || $${global ? 2 : 3}::jsonb || given.fields) AS n
    ORDER BY given.position
    RETURNING ${id} AS id, jsonb_build_array(${key.join(', ')}) AS key`,
    sequence: idSequence(`import.${table}`, table, global),
    passIds: `/* import.${table}.pass_ids */
    SELECT setval(${sequence}, $1::bigint)
    WHERE $1::bigint > coalesce(pg_sequence_last_value(${sequence}::regclass), 0) AND $1::bigint <= ${MAX_PASSED}`,
  };
}
