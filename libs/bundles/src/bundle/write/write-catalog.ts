import { BundleLineError, ofEach } from '../check/faults.js';
import type { BundleLine } from '../schema/bundle.js';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import { BINS, BRANDS, CATEGORIES, WAREHOUSES } from './tables.js';
import type { Row, TableWriter } from './table-writer.js';

export const writeWarehouses: WriteLines<'warehouse'> = (batch, store, lines) =>
  writeRows(batch, store, WAREHOUSES, lines, ({ line }) => fieldsOf(line));

export const writeBrands: WriteLines<'brand'> = (batch, store, lines) =>
  writeRows(batch, store, BRANDS, lines, ({ line }) => fieldsOf(line));

export const writeBins: WriteLines<'bin'> = async (batch, store, lines) => {
  const warehouses = lines.map(({ line }) => ({ code: line.warehouse }));
  const warehouseId = await batch.finder(WAREHOUSES, store.id, warehouses);
  await writeRows(batch, store, BINS, lines, ({ number, line: { warehouse, code } }) => ({
    warehouse_id: warehouseId(number, { code: warehouse }, 'warehouse'),
    code,
  }));
};

async function writeRows<Line extends BundleLine>(
  batch: Batch,
  store: Owner,
  table: TableWriter<number>,
  lines: readonly Numbered<Line>[],
  toRow: (line: Numbered<Line>) => Row,
): Promise<void> {
  const rows = ofEach(lines, (each) => ({ ...each, row: toRow(each) }));
  batch.note(await batch.write(table, store.id, rows));
}

function fieldsOf<Line extends { kind: string; store: string }>({ kind: _, store: __, ...fields }: Line) {
  return fields;
}

const SET_PARENTS = `/* import.categories.set_parents */
  WITH moved AS (
    UPDATE categories SET parent_id = given.parent_id
    FROM jsonb_to_recordset($2::jsonb) AS given (id int, parent_id int)
    WHERE categories.store_id = $1 AND categories.id = given.id AND categories.parent_id IS DISTINCT FROM given.parent_id
    RETURNING categories.id)
  SELECT id FROM moved`;

const FIND_CIRCLE = `/* import.categories.find_circle */
  WITH RECURSIVE ancestors AS (
    SELECT id AS start, parent_id FROM categories WHERE store_id = $1 AND id = ANY($2)
    UNION
    SELECT ancestors.start, categories.parent_id
    FROM ancestors JOIN categories ON categories.store_id = $1 AND categories.id = ancestors.parent_id
  )
  SELECT start AS id FROM ancestors WHERE parent_id = start`;

/** A second statement sets the parents: they may be rows of the same insert. */
export const writeCategories: WriteLines<'category'> = async (batch, store, lines) => {
  const rows = lines.map((each) => {
    const { parent: _, order, ...fields } = fieldsOf(each.line);
    return { ...each, row: { ...fields, ...(order !== undefined && { display_order: order }) } };
  });
  const written = await batch.write(CATEGORIES, store.id, rows);
  const named = lines.flatMap(({ line: { parent } }) => (parent ? [{ slug: parent }] : []));
  const categoryId = await batch.finder(CATEGORIES, store.id, named);
  const placed = written.filter(({ line: { parent } }) => parent !== undefined);
  const parents = ofEach(placed, ({ number, id, line: { parent } }) => {
    return { id, parent_id: parent ? categoryId(number, { slug: parent }, 'category') : null };
  });
  const moved = await batch.manager.query<{ id: number }[]>(SET_PARENTS, [store.id, JSON.stringify(parents)]);
  const ids = moved.map(({ id }) => id);
  const [circle] = await batch.manager.query<{ id: number }[]>(FIND_CIRCLE, [store.id, ids]);
  if (circle) {
    const line = written.find(({ id }) => id === circle.id)?.number ?? 0;
    throw new BundleLineError(line, 'category.parent makes the category its own ancestor');
  }
  batch.note(written, new Set(ids));
};
