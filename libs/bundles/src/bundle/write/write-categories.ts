import type { WriteLines } from './batch.js';
import type { CategoryLine } from '../schema/bundle.js';
import { BundleLineError } from '../check/faults.js';
import { CATEGORIES } from './tables.js';

const SET_PARENTS = `/* import.categories.set_parents */
  WITH moved AS (
    UPDATE categories SET parent_id = given.parent_id
    FROM jsonb_to_recordset($2::jsonb) AS given (id int, parent_id int)
    WHERE categories.store_id = $1 AND categories.id = given.id AND categories.parent_id IS DISTINCT FROM given.parent_id
    RETURNING categories.id)
  SELECT id FROM moved`;

// Walks up from the moved categories. A path that reaches the same category twice has a cycle.
const FIND_CIRCLE = `/* import.categories.find_circle */
  WITH RECURSIVE ancestors AS (
    SELECT id AS start, parent_id FROM categories WHERE store_id = $1 AND id = ANY($2)
    UNION
    SELECT ancestors.start, categories.parent_id
    FROM ancestors JOIN categories ON categories.store_id = $1 AND categories.id = ancestors.parent_id
  )
  SELECT start AS id FROM ancestors WHERE parent_id = start`;

export const writeCategories: WriteLines<CategoryLine> = async ({ manager, known, tally }, store, lines) => {
  const rows = lines.map(({ line: { kind: _, store: __, parent: ___, order, ...fields } }) => ({
    ...fields,
    ...(order !== undefined && { display_order: order }),
  }));
  const written = await CATEGORIES.write(manager, store.id, rows);
  const ids = new Map<number, number>();
  written.forEach(({ id, outcome }, index) => {
    const source = lines[index];
    if (!source) return;
    ids.set(id, source.number);
    if (outcome === 'created')
      known.created(CATEGORIES, store.id, { slug: source.line.slug }, { id, line: source.number });
  });

  await known.load(
    CATEGORIES,
    store.id,
    lines.flatMap(({ line }) => (line.parent ? [{ slug: line.parent }] : [])),
  );
  const parents = lines.flatMap(({ number, line: { parent } }, index) => {
    if (parent === undefined) return [];
    const from = { line: number, what: 'category', name: parent ?? '' };
    const parentId = parent === null ? null : known.get(CATEGORIES, store.id, { slug: parent }, from);
    return [{ id: written[index]?.id, parent_id: parentId }];
  });
  const moved = await manager.query<{ id: number }[]>(SET_PARENTS, [store.id, JSON.stringify(parents)]);
  const movedIds = new Set(moved.map(({ id }) => id));
  const [circle] = await manager.query<{ id: number }[]>(FIND_CIRCLE, [store.id, [...movedIds]]);
  if (circle) throw new BundleLineError(ids.get(circle.id) ?? 0, 'category.parent makes the category its own ancestor');

  for (const { id, outcome } of written) {
    tally.add('category', outcome === 'unchanged' && movedIds.has(id) ? 'updated' : outcome);
  }
};
