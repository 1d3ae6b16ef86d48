import { folded } from '@app/infrastructure';
import { BundleLineError, quoted } from '../check/faults.js';
import type { BundleLine, LineOf } from '../schema/bundle.js';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import { BINS, BRANDS, CATEGORIES, WAREHOUSES } from './tables.js';
import type { Row, TableWriter } from './table-writer.js';

/** Each warehouse may have a bin of the same code, so a stock line that names only the code looks at all of them. */
const MAX_WAREHOUSES = 1_000;

const COUNT_WAREHOUSES = `/* import.warehouses.count */
  SELECT count(*)::int AS count FROM warehouses WHERE store_id = $1`;

export const writeWarehouses: WriteLines<'warehouse'> = async (batch, store, lines) => {
  const known = await WAREHOUSES.find(
    batch.sql,
    store.id,
    lines.map(({ line: { code } }) => ({ code })),
  );
  // Imports of a store run one after the other, and nothing else makes warehouses.
  const [{ count } = { count: 0 }] = await batch.sql.query<{ count: number }>(COUNT_WAREHOUSES, [store.id]);
  let room = MAX_WAREHOUSES - count;
  await writeRows(batch, store, WAREHOUSES, lines, ({ number, line }) => {
    const isNew = !known.has(WAREHOUSES.keyOf({ code: line.code }));
    if (isNew && room < 1) {
      throw new BundleLineError(number, `warehouse must be one of at most ${MAX_WAREHOUSES} of the store`);
    }
    if (isNew) room--;
    return fieldsOf(line);
  });
};

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
  const rows = batch.good(lines, (each) => ({ ...each, row: toRow(each) }));
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

const FIND_ANCESTORS = `/* import.categories.find_ancestors */
  WITH RECURSIVE ancestors AS (
    SELECT slug, parent_id FROM categories WHERE store_id = $1 AND lower(slug COLLATE "C") = ANY ($2)
    UNION
    SELECT categories.slug, categories.parent_id
    FROM ancestors JOIN categories ON categories.store_id = $1 AND categories.id = ancestors.parent_id
  )
  SELECT lower(ancestors.slug COLLATE "C") AS slug, lower(parent.slug COLLATE "C") AS parent
  FROM ancestors LEFT JOIN categories AS parent ON parent.store_id = $1 AND parent.id = ancestors.parent_id`;

const OWN_ANCESTOR = 'category.parent makes the category its own ancestor';

type CategoryLine = LineOf<'category'>;

/** A second statement sets the parents, because a parent may be a row of the same insert as its child. */
export const writeCategories: WriteLines<'category'> = async (batch, store, lines) => {
  const refuseBad = await parentsCheck(batch, store, lines);
  const rows = batch.good(lines, (each) => {
    refuseBad(each);
    const { parent: _, order, ...fields } = fieldsOf(each.line);
    return { ...each, row: { ...fields, ...(order !== undefined && { display_order: order }) } };
  });
  const written = await batch.write(CATEGORIES, store.id, rows);
  const named = rows.flatMap(({ line: { parent } }) => (parent ? [{ slug: parent }] : []));
  const categoryId = await batch.finder(CATEGORIES, store.id, named);
  const placed = written.filter(({ line: { parent } }) => parent !== undefined);
  const parents = placed.map(({ number, id, line: { parent } }) => {
    return { id, parent_id: parent ? categoryId(number, { slug: parent }, 'category') : null };
  });
  const moved = await batch.sql.query<{ id: number }>(SET_PARENTS, [store.id, JSON.stringify(parents)]);
  batch.note(written, new Set(moved.map(({ id }) => id)));
};

/**
 * Prepares a check of the lines, which must be called for each line in sequence. The check refuses a category whose
 * parent is refused, and the line that closes a cycle of parents.
 * @returns a function that throws BundleLineError for a bad line.
 */
async function parentsCheck(batch: Batch, store: Owner, lines: readonly Numbered<CategoryLine>[]) {
  const slugs = lines.flatMap(({ line: { slug, parent } }) => [slug, ...(parent ? [parent] : [])].map(folded));
  const found = await batch.sql.query<{ slug: string; parent: string | null }>(FIND_ANCESTORS, [store.id, slugs]);
  const parents = new Map(found.map(({ slug, parent }) => [slug, parent]));
  const moving = new Set(lines.map(({ line }) => folded(line.slug)));
  const fixed = new Map<string, string | null>();
  /**
   * Returns the nearest category, from `slug` upwards, that a line of this batch may move. No line moves the
   * categories in between, so they stay below the returned one.
   */
  const nextMoving = (slug: string): string | null => {
    const passed: string[] = [];
    let next: string | null = slug;
    while (next !== null && !moving.has(next) && !fixed.has(next)) {
      passed.push(next);
      next = parents.get(next) ?? null;
    }
    const end = next === null || moving.has(next) ? next : (fixed.get(next) ?? null);
    for (const each of passed) fixed.set(each, end);
    return end;
  };
  return ({ number, line: { slug: given, parent, name } }: Numbered<CategoryLine>): void => {
    const slug = folded(given);
    const isNew = !parents.has(slug);
    // The refused category does not enter `parents`, so its children are refused, too.
    if (isNew && name === undefined) throw new BundleLineError(number, 'category.name is required');
    if (!parent) {
      if (isNew || parent === null) parents.set(slug, null);
      return;
    }
    if (folded(parent) === slug) throw new BundleLineError(number, OWN_ANCESTOR);
    if (!parents.has(folded(parent))) throw new BundleLineError(number, `category ${quoted(parent)} is not known`);
    for (let above = nextMoving(folded(parent)); above !== null; above = nextMoving(parents.get(above) ?? '')) {
      if (above === slug) throw new BundleLineError(number, OWN_ANCESTOR);
    }
    parents.set(slug, folded(parent));
  };
}
