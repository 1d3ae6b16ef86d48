import { SkuRepository } from '@app/application';
import { foldTallies } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { TallyScene } from '../support/tally-scene.js';

// One statement reads both sides of a comparison, so that they belong to one snapshot.
const UNITS = `
  WITH kept AS (SELECT product_id, variant_key, sku, in_stock FROM sellable_units WHERE store_id = $1),
  actual AS (
    SELECT product_id, variant_key, sku, is_unit_in_stock($1, product_id, variant_key) AS in_stock
    FROM units_for_sale WHERE store_id = $1
  )
  (TABLE kept EXCEPT TABLE actual) UNION ALL (TABLE actual EXCEPT TABLE kept)`;

const TOTALS = `
  WITH counted AS (
    SELECT in_stock::text AS label, count(*) AS rows FROM sellable_units WHERE store_id = $1 GROUP BY 1
  ), kept AS (
    SELECT labels[1] AS label, sum(rows) AS rows FROM list_counts
    WHERE store_id = $1 AND list = 'skus' AND grain = 'all' GROUP BY 1 HAVING sum(rows) <> 0
  )
  SELECT label, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (label)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

// Counts the units before each section, and sums the sections and the changes before it.
const SECTIONS = `
  SELECT section.sku, counted.units, summed.units + changed.units AS kept_units, counted.in_stock, summed.in_stock + changed.in_stock AS kept_in_stock
  FROM sku_sections AS section
  CROSS JOIN LATERAL (
    SELECT count(*) AS units, count(*) FILTER (WHERE in_stock) AS in_stock FROM sellable_units AS unit
    WHERE unit.store_id = $1
      AND (unit.sku COLLATE "C", unit.product_id, unit.variant_key) < (section.sku, section.product_id, section.variant_key)
  ) AS counted
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(units), 0) AS units, coalesce(sum(in_stock), 0) AS in_stock FROM sku_sections AS before
    WHERE before.store_id = $1
      AND (before.sku, before.product_id, before.variant_key) < (section.sku, section.product_id, section.variant_key)
  ) AS summed
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(rows), 0) AS units, coalesce(sum(rows) FILTER (WHERE labels[1] = 'true'), 0) AS in_stock
    FROM list_tally_changes
    WHERE store_id = $1 AND list = 'skus' AND id > list_tally_mark()
      AND (labels[2], labels[3]::int, labels[4]::int) < (section.sku, section.product_id, section.variant_key)
  ) AS changed
  WHERE section.store_id = $1
    AND (counted.units <> summed.units + changed.units OR counted.in_stock <> summed.in_stock + changed.in_stock)`;

describe('totals and sections of SKUs', () => {
  let scene: TallyScene;
  beforeAll(async () => {
    scene = await TallyScene.create();
    // So small that few units make many sections.
    await scene.api.database.query(
      'CREATE OR REPLACE FUNCTION units_per_section() RETURNS int LANGUAGE sql IMMUTABLE RETURN 3',
    );
  });
  afterAll(() => scene.stop());

  it('stay exact while writers change products, variants, stock and warehouses', async () => {
    const { store } = scene.api;
    const warehouse = await store.warehouse();
    const products: number[] = [];
    for (let n = 0; n < 12; n++) {
      const product = await store.product({ sku: `S-${n}`, stock: [1, 1] });
      await store.stock(product, null, [1], warehouse);
      if (n % 2) for (const size of [1, 2]) await store.variant(product, { sku: `S-${n}-${size}`, stock: [1, 0] });
      products.push(product);
    }
    const before = await scene.deadlocks();

    await scene.storm({
      act: async (draw) => {
        const product = products[draw(products.length)];
        const values = [store.id, product, draw(30)];
        const acts = [
          `UPDATE stock SET quantity = $3::int % 2 WHERE store_id = $1 AND product_id = $2 AND bin_id = (
             SELECT bin_id FROM stock WHERE store_id = $1 AND product_id = $2 ORDER BY bin_id OFFSET $3 % 5 LIMIT 1)`,
          `UPDATE products SET sku = 'S-' || $3 % 7 WHERE store_id = $1 AND id = $2`,
          `UPDATE products SET status = CASE WHEN $3 < 10 THEN 'DRAFT' ELSE 'ACTIVE' END WHERE store_id = $1 AND id = $2`,
          `UPDATE product_variants SET status = CASE WHEN $3 < 10 THEN 'INACTIVE' ELSE 'ACTIVE' END
             WHERE store_id = $1 AND product_id = $2 AND id % 3 = $3 % 3`,
          `INSERT INTO product_variants (store_id, product_id, sku, name, price) VALUES ($1, $2, 'N-' || $3, 'New', 1)
             ON CONFLICT DO NOTHING`,
          `DELETE FROM product_variants WHERE store_id = $1 AND product_id = $2 AND sku = 'N-' || $3`,
          `UPDATE warehouses SET active = NOT active WHERE store_id = $1 AND id = ${warehouse} AND $2 > 0 AND $3 >= 0`,
        ];
        await scene.pool.query(acts[draw(acts.length)] ?? '', values);
      },
      check: async () => {
        expect(await scene.differences(UNITS)).toEqual([]);
        expect(await scene.differences(TOTALS)).toEqual([]);
        expect(await scene.differences(SECTIONS)).toEqual([]);
      },
    });

    expect(await scene.deadlocks()).toBe(before);
    const [sections] = await scene.differences('SELECT count(*)::int AS count FROM sku_sections WHERE store_id = $1');
    expect((sections as { count: number }).count).toBeGreaterThan(3);
  });

  it('locate every deep page, also of the units in stock and with changes that are not yet folded', async () => {
    const { store, database, app } = scene.api;
    await database.query(
      `INSERT INTO products (store_id, slug, sku, name, price)
       SELECT $1, 'deep-' || n, 'D-' || n * 7 % 1801, 'Deep', 1 FROM generate_series(1, 3000) AS n`,
      [store.id],
    );
    await database.query(
      `INSERT INTO stock (store_id, bin_id, product_id, quantity)
       SELECT $1, $2, id, 1 FROM products WHERE store_id = $1 AND slug LIKE 'deep-%' AND id % 3 > 0`,
      [store.id, await store.bin()],
    );
    for (let n = 0; n < 5; n++) await store.product({ sku: `D-${n}` });
    const skus = app.get(SkuRepository, { strict: false });

    for (const inStock of [undefined, true] as const) {
      const all = await scene.differences(
        `SELECT product_id, nullif(variant_key, 0) AS variant_id FROM sellable_units
         WHERE store_id = $1 AND ($2::boolean IS NULL OR in_stock) ORDER BY sku COLLATE "C", product_id, variant_key`,
        inStock ?? null,
      );
      const listed: unknown[] = [];
      for (let page = 1; page <= Math.ceil(all.length / 97) + 1; page++) {
        const { rows, total } = await skus.list(store.id, inStock ? { inStock } : {}, { page, limit: 97 });
        expect(total).toBe(all.length);
        listed.push(...rows.map(({ productId, variantId }) => ({ product_id: productId, variant_id: variantId })));
      }
      expect(all.length).toBeGreaterThan(1_900);
      expect(listed).toEqual(all);
    }
  });

  it('locate a page behind a large section with a change that is not yet folded', async () => {
    const { database, app } = scene.api;
    await database.query(
      'CREATE OR REPLACE FUNCTION units_per_section() RETURNS int LANGUAGE sql IMMUTABLE RETURN 5000',
    );
    const other = await StoreFixture.create(database);
    const add = (sku: string, rows: number) =>
      database.query(
        `INSERT INTO products (store_id, slug, sku, name, price)
         SELECT $1, $2 || n, $2, 'Deep', 1 FROM generate_series(1, $3::int) AS n`,
        [other.id, sku, rows],
      );
    await add('M-', 3_000);
    await foldTallies(scene.pool, 1);
    // Triggers fold at random; the change stays unfolded while this transaction holds the lock of the store.
    const holder = await scene.pool.connect();
    await holder.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('list_tally_changes'), ${other.id})`);
    await add('N-', 1);
    const skus = app.get(SkuRepository, { strict: false });

    const { rows, total } = await skus.list(other.id, {}, { page: 31, limit: 100 });
    await holder.query('ROLLBACK');
    holder.release();

    expect([rows.map(({ sku }) => sku), total]).toEqual([['N-'], 3_001]);
  });

  it('forget the units of a deleted product', async () => {
    const product = await scene.api.store.product();
    await scene.api.store.variant(product);

    await scene.api.database.query('DELETE FROM stock WHERE product_id = $1', [product]);
    await scene.api.database.query('DELETE FROM products WHERE id = $1', [product]);

    expect(await scene.differences(UNITS)).toEqual([]);
    expect(await scene.differences(TOTALS)).toEqual([]);
    expect(await scene.differences(SECTIONS)).toEqual([]);
  });
});
