import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A product that changes while it is taken out of a category is counted once there, as one that is put in already was. A
 * product whose first stock comes into a warehouse that opens or closes meanwhile knows whether it is in stock. What went
 * wrong before is put right.
 */
export class SimultaneousChanges1764000000006 implements MigrationInterface {
  name = 'SimultaneousChanges1764000000006';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [COUNT_LINKS, HOLD_WAREHOUSES, CORRECT_IN_STOCK, CORRECT_CATEGORIES])
      await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

const hold = (links: string) => `
    PERFORM FROM products WHERE (store_id, id) IN (SELECT store_id, product_id FROM ${links})
    ORDER BY store_id, id FOR SHARE;`;

const counted = (links: string, n: number) => `
    SELECT link.store_id, link.category_id, ARRAY[product.featured::text, product.in_stock::text] AS labels, ${n} AS n
    FROM ${links} AS link
    JOIN products AS product ON product.store_id = link.store_id AND product.id = link.product_id
    WHERE product.status = 'ACTIVE'`;

const note = (changes: string) => `
    INSERT INTO list_tally_changes (store_id, list, period, labels, rows)
    SELECT store_id, 'category ' || category_id, '-infinity', labels, sum(n) FROM (${changes}) AS changes
    GROUP BY store_id, category_id, labels
    HAVING sum(n) <> 0;`;

// A product and its links that change at the same time must not both miss, or both count, the other: whoever changes a
// link holds the product before it is counted.
const COUNT_LINKS = `
CREATE OR REPLACE FUNCTION tally_product_categories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN ${hold('added')} ${note(counted('added', 1))}
  ELSIF TG_OP = 'DELETE' THEN ${hold('removed')} ${note(counted('removed', -1))}
  ELSE ${hold('(TABLE added UNION ALL TABLE removed) AS links')}
    ${note(`${counted('added', 1)} UNION ALL ${counted('removed', -1)}`)}
  END IF;
  RETURN NULL;
END $$;
`;

// A warehouse that opens or closes looks at the stock that it can see. Stock that is new to it holds it, so that one of the
// two waits for the other and sees it. Stock that was there already needs no more than the lock on its product.
const HOLD_WAREHOUSES = `
CREATE OR REPLACE FUNCTION keep_in_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM FROM warehouses WHERE (store_id, id) IN (
      SELECT bins.store_id, warehouse_id FROM added JOIN bins ON bins.store_id = added.store_id AND bins.id = bin_id)
    ORDER BY store_id, id FOR SHARE;
    PERFORM refresh_in_stock(store_id, array_agg(product_id)) FROM added WHERE quantity > 0 GROUP BY store_id;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM refresh_in_stock(store_id, array_agg(product_id)) FROM removed WHERE quantity > 0 GROUP BY store_id;
  ELSE
    PERFORM refresh_in_stock(store_id, array_agg(product_id))
    FROM added JOIN removed USING (store_id, product_id, variant_key, bin_id)
    WHERE (added.quantity > 0) <> (removed.quantity > 0)
    GROUP BY store_id;
  END IF;
  RETURN NULL;
END $$;
`;

const CORRECT_IN_STOCK = `
LOCK TABLE products, product_categories IN SHARE MODE;
UPDATE products SET in_stock = NOT in_stock WHERE in_stock <> is_in_stock(store_id, id);
`;

const CORRECT_CATEGORIES = `
WITH counted AS (
  SELECT link.store_id, 'category ' || link.category_id AS list,
    ARRAY[product.featured::text, product.in_stock::text] AS labels, count(*) AS rows
  FROM product_categories AS link
  JOIN products AS product ON product.store_id = link.store_id AND product.id = link.product_id
  WHERE product.status = 'ACTIVE'
  GROUP BY 1, 2, 3
), kept AS (
  SELECT store_id, list, labels, sum(rows) AS rows FROM list_counts
  WHERE grain = 'all' AND list LIKE 'category %'
  GROUP BY store_id, list, labels
)
INSERT INTO list_tally_changes (store_id, list, period, labels, rows)
SELECT store_id, list, '-infinity', labels, coalesce(counted.rows, 0) - coalesce(kept.rows, 0)
FROM counted FULL JOIN kept USING (store_id, list, labels)
WHERE coalesce(counted.rows, 0) <> coalesce(kept.rows, 0);
`;
