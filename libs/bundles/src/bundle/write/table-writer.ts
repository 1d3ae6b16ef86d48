import type { EntityManager } from 'typeorm';
import { BundleLineError, ofEach } from '../check/faults.js';
import type { Outcome } from './import-counts.js';

/** Of one transaction. */
export type Sql = Pick<EntityManager, 'query'>;

/** An absent column keeps its value, or gets its default in a new row. */
export type Row = Readonly<Record<string, unknown>>;

export interface Written<Id> {
  readonly id: Id;
  readonly outcome: Outcome;
}

export interface TableSpec {
  readonly table: string;
  /** `id` by default. */
  readonly id?: string;
  /** Besides `store_id`. */
  readonly key: readonly string[];
  /** The other columns that an import may set, with the values that a new row gets without one. */
  readonly columns: Row;
  /** What a new row needs, as fields of its line, such as `product.name`. */
  readonly required?: readonly string[];
  /** Ids of a sequence. A new row may give its own, and gets it where it is free. */
  readonly numbered?: boolean;
  readonly global?: boolean;
}

/** Does not touch equal rows: a repeated import leaves no dead rows behind. */
export class TableWriter<Id extends number | string> {
  private readonly sql: ReturnType<typeof statements>;

  constructor(readonly spec: TableSpec) {
    this.sql = statements(spec);
  }

  find(manager: Sql, storeId: number, keys: readonly Row[]): Promise<Map<string, Id>> {
    return this.select(manager, this.sql.find, storeId, keys);
  }

  /** @throws BadLines when new rows lack what they need. */
  async write<T extends { readonly number: number; readonly row: Row }>(
    manager: Sql,
    storeId: number,
    given: readonly T[],
  ): Promise<(T & Written<Id>)[]> {
    const rows = given.map(({ row }) => row);
    // Locks first, so that the comparison sees the values that the update will replace.
    const existing = await this.select(manager, this.sql.lock, storeId, rows);
    const old = rows.filter((row) => existing.has(this.keyOf(row)));
    const fresh = ofEach(
      given.filter(({ row }) => !existing.has(this.keyOf(row))),
      (each) => this.complete(each),
    );
    const hasColumns = Object.keys(this.spec.columns).length > 0;
    const changed = await this.select(manager, this.sql.update, storeId, hasColumns ? old : []);
    await this.passGivenIds(manager, fresh);
    const created = await this.select(manager, this.sql.insert, storeId, fresh, JSON.stringify(this.spec.columns));
    return given.map((each) => {
      const key = this.keyOf(each.row);
      const id = created.get(key) ?? existing.get(key);
      if (id === undefined) throw new Error(`A row of ${this.spec.table} was not written`);
      return { ...each, id, outcome: created.has(key) ? 'created' : changed.has(key) ? 'updated' : 'unchanged' };
    });
  }

  private complete({ number, row }: { readonly number: number; readonly row: Row }): Row {
    const { required = [] } = this.spec;
    const missing = required.find((field) => row[field.slice(field.indexOf('.') + 1)] === undefined);
    if (missing !== undefined) throw new BundleLineError(number, `${missing} is required`);
    return row;
  }

  private async passGivenIds(manager: Sql, rows: readonly Row[]): Promise<void> {
    const ids = this.spec.numbered ? rows.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) : [];
    if (ids.length > 0) await manager.query(this.sql.passIds, [Math.max(...ids)]);
  }

  keyOf(row: Row): string {
    return JSON.stringify(this.spec.key.map((column) => row[column]));
  }

  private async select(
    manager: Sql,
    sql: string,
    storeId: number,
    rows: readonly Row[],
    ...more: unknown[]
  ): Promise<Map<string, Id>> {
    if (rows.length === 0) return new Map();
    const scope = this.spec.global ? [] : [storeId];
    const found = await manager.query<{ id: Id; key: unknown[] }[]>(sql, [JSON.stringify(rows), ...scope, ...more]);
    return new Map(found.map(({ id, key }) => [JSON.stringify(key), id]));
  }
}

// The names of tables and columns are constants of the code, never input.
function statements({ table, id = 'id', key, columns: values, numbered, global }: TableSpec) {
  const columns = Object.keys(values);
  const all = [...key, ...columns];
  const of = (alias: string, names: readonly string[]) => names.map((column) => `${alias}.${column}`).join(', ');
  const sameKey = key.map((column) => `o.${column} = k.${column}`).join(' AND ');
  const matching = `
    FROM jsonb_array_elements($1::jsonb) AS given (fields)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, given.fields) AS k
    JOIN ${table} AS o ON ${global ? '' : 'o.store_id = $2 AND '}${sameKey}`;
  const find = `SELECT o.${id} AS id, jsonb_build_array(${of('o', key)}) AS key ${matching}`;
  const scope = global ? '' : 'store_id, ';
  const sequence = `pg_get_serial_sequence('${table}', 'id')`;
  // An existing row keeps its id.
  const kept = `given.fields${numbered ? ` - 'id'` : ''}`;
  // OFFSET keeps the planner from reading the ids of the whole table. A store's id below the start is another cluster's.
  const isFree = `row_number() OVER (PARTITION BY n.id ORDER BY given.position) = 1
        AND NOT EXISTS (SELECT FROM ${table} AS taken WHERE ${global ? '' : 'taken.store_id = $2 AND '}taken.id = n.id OFFSET 0)
        AND n.id >= (SELECT seqstart FROM pg_sequence WHERE seqrelid = ${sequence}::regclass)`;
  const ownId = `CASE WHEN n.id IS NOT NULL AND ${isFree} THEN n.id ELSE nextval(${sequence})::int END, `;
  return {
    find: `/* import.${table}.find */ ${find}`,
    lock: `/* import.${table}.lock */ ${find} ORDER BY o.${id} FOR NO KEY UPDATE OF o`,
    // Does not set key columns: that takes a stronger lock, which blocks orders being placed.
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
    SELECT ${global ? '' : '$2::int, '}${numbered ? ownId : ''}${of('n', all)}
    FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given (fields, position)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, jsonb_build_object('created_at', now()) || $${global ? 2 : 3}::jsonb || given.fields) AS n
    ORDER BY given.position
    RETURNING ${id} AS id, jsonb_build_array(${key.join(', ')}) AS key`,
    passIds: `/* import.${table}.pass_ids */
    SELECT setval(${sequence}, $1::bigint) WHERE $1::bigint > coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`,
  };
}
