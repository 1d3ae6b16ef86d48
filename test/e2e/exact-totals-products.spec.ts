import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { TallyScene } from '../support/tally-scene.js';

// One statement reads both sides of a comparison, so that they belong to one snapshot.
const PRODUCTS = `
  WITH listed AS (
    SELECT 'products' AS list, id FROM products WHERE store_id = $1 AND status = 'ACTIVE'
    UNION ALL
    SELECT 'category ' || link.category_id, id FROM products
    JOIN product_categories link ON link.store_id = products.store_id AND link.product_id = id
    WHERE products.store_id = $1 AND status = 'ACTIVE'
  ), counted AS (
    SELECT list, ARRAY[featured::text, in_stock::text] AS labels, count(*) AS rows
    FROM listed JOIN products USING (id) WHERE store_id = $1 GROUP BY 1, 2
  ), kept AS (
    SELECT list, labels, sum(rows) AS rows FROM list_counts
    WHERE store_id = $1 AND grain = 'all' AND list NOT IN ('orders', 'customers', 'skus')
    GROUP BY list, labels HAVING sum(rows) <> 0
  )
  SELECT list, labels, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (list, labels)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

const IN_STOCK = `
  SELECT id FROM products WHERE store_id = $1 AND in_stock <> (
    SELECT coalesce(sum(quantity), 0) > 0 FROM stock
    JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
    JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = warehouse_id
    WHERE stock.store_id = $1 AND product_id = products.id AND active)`;

type Statement = readonly [sql: string, values: unknown[]];

describe('totals of products', () => {
  let scene: TallyScene;
  beforeAll(async () => (scene = await TallyScene.create()));
  afterAll(() => scene.stop());

  /** Runs the second statement while the transaction of the first is open, until it waits for a lock or has ended. */
  async function overlap(first: Statement, second: Statement): Promise<void> {
    const client = await scene.pool.connect();
    await client.query('BEGIN');
    await client.query(...first);

    let hasEnded = false;
    const running = scene.pool.query(...second).finally(() => (hasEnded = true));
    await eventually(async () => expect(hasEnded || (await lockWaits(scene.api.database)) === 1).toBe(true));
    await client.query('COMMIT');
    client.release();
    await running;
  }

  it('counts products and keeps in_stock exact while writers change stock, categories and warehouses', async () => {
    const { store } = scene.api;
    const categories = await Promise.all([store.category(), store.category()]);
    const warehouse = await store.warehouse();
    const products: number[] = [];
    for (let n = 0; n < 12; n++) {
      const product = await store.product({ stock: [1, 1], categoryIds: n % 2 ? categories : [] });
      await store.stock(product, null, [1], warehouse);
      products.push(product);
    }
    const before = await scene.deadlocks();

    await scene.storm({
      act: async (draw) => {
        const product = products[draw(products.length)];
        const values = [store.id, product, draw(3)];
        const what = draw(10);
        if (what < 5)
          await scene.pool.query(
            `UPDATE stock SET quantity = $3::int % 2 WHERE store_id = $1 AND product_id = $2 AND bin_id = (
            SELECT bin_id FROM stock WHERE store_id = $1 AND product_id = $2 ORDER BY bin_id OFFSET $3 LIMIT 1)`,
            values,
          );
        else if (what < 6)
          await scene.pool.query(`UPDATE warehouses SET active = NOT active WHERE store_id = $1 AND id = $2`, [
            store.id,
            warehouse,
          ]);
        else if (what < 7)
          await scene.pool.query(
            `UPDATE products SET featured = NOT featured WHERE store_id = $1 AND id = $2 AND $3 >= 0`,
            values,
          );
        else if (what < 8)
          await scene.pool.query(
            `UPDATE products SET status = (ARRAY['ACTIVE', 'DRAFT', 'ACTIVE'])[1 + $3] WHERE store_id = $1 AND id = $2`,
            values,
          );
        else if (what < 9)
          await scene.pool.query(
            `INSERT INTO product_categories (store_id, product_id, category_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
            [store.id, product, categories[draw(2)]],
          );
        else
          await scene.pool.query(
            `DELETE FROM product_categories WHERE store_id = $1 AND product_id = $2 AND category_id = $3`,
            [store.id, product, categories[draw(2)]],
          );
      },
      check: async () => {
        expect(await scene.differences(PRODUCTS)).toEqual([]);
        expect(await scene.differences(IN_STOCK)).toEqual([]);
      },
    });

    expect(await scene.deadlocks()).toBe(before);
  });

  it('marks a product as sold out when two concurrent transactions empty its last two bins', async () => {
    const product = await scene.api.store.product({ stock: [1, 1] });
    const empty = (place: 'min' | 'max'): Statement => [
      `UPDATE stock SET quantity = 0 WHERE store_id = $1 AND product_id = $2 AND bin_id = (
        SELECT ${place}(bin_id) FROM stock WHERE store_id = $1 AND product_id = $2)`,
      [scene.api.store.id, product],
    ];

    await overlap(empty('min'), empty('max'));

    const [row] = await scene.api.database.query('SELECT in_stock FROM products WHERE id = $1', [product]);
    expect(row).toEqual({ in_stock: false });
    expect(await scene.differences(PRODUCTS)).toEqual([]);
  });

  it.each([
    ['added to', 'INSERT INTO product_categories (store_id, product_id, category_id) VALUES ($1, $2, $3)', false],
    [
      'removed from',
      'DELETE FROM product_categories WHERE store_id = $1 AND product_id = $2 AND category_id = $3',
      true,
    ],
  ])('counts a product once when it is %s a category while another transaction changes it', async (_, sql, isIn) => {
    const category = await scene.api.store.category();
    const product = await scene.api.store.product({ categoryIds: isIn ? [category] : [] });

    await overlap(
      ['UPDATE products SET featured = NOT featured WHERE id = $1', [product]],
      [sql, [scene.api.store.id, product, category]],
    );

    expect(await scene.differences(PRODUCTS)).toEqual([]);
  });

  it('marks a product as sold out when its first stock enters a warehouse that is being closed', async () => {
    const { store } = scene.api;
    const [product, warehouse] = [await store.product(), await store.warehouse()];

    await overlap(
      ['UPDATE warehouses SET active = false WHERE store_id = $1 AND id = $2', [store.id, warehouse]],
      [
        `WITH bin AS (INSERT INTO bins (store_id, warehouse_id, code) VALUES ($1, $2, 'NEW') RETURNING id)
         INSERT INTO stock (store_id, product_id, bin_id, quantity) SELECT $1, $3, id, 5 FROM bin`,
        [store.id, warehouse, product],
      ],
    );

    expect(await scene.differences(IN_STOCK)).toEqual([]);
  });

  it('removes a deleted product from all totals, also of its categories', async () => {
    const product = await scene.api.store.product({ categoryIds: [await scene.api.store.category()] });

    await scene.api.database.query('DELETE FROM stock WHERE product_id = $1', [product]);
    await scene.api.database.query('DELETE FROM products WHERE id = $1', [product]);

    expect(await scene.differences(PRODUCTS)).toEqual([]);
  });
});
