import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What makes the first page of a list, and its total, cost the same in a store of any size: exact numbers of rows, kept
 * by the database itself, so that no writer can forget them; and an index in the order of the list for every filter.
 */
export class ListTallies1764000000003 implements MigrationInterface {
  name = 'ListTallies1764000000003';

  async up(runner: QueryRunner): Promise<void> {
    // The triggers come first: creating them keeps writers out until all that was there is counted.
    const statements = [TALLIES, FOLD, IN_STOCK, KEEP_IN_STOCK, CATEGORY_ORDER, ...KEEP_TALLIES, COUNT_WHAT_IS_THERE];
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

// A list is 'orders', 'customers', 'products' (the active ones) or 'category N' (the active products of that category).
// Its rows are told apart by labels, those that its filters ask for.
const TALLIES = `
CREATE TABLE list_tallies (
  store_id int NOT NULL REFERENCES stores,
  list text NOT NULL,
  grain text NOT NULL CHECK (grain IN ('all', 'month', 'day')),
  period date NOT NULL,
  labels text[] NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (store_id, list, grain, period, labels)
) PARTITION BY LIST (grain);
-- Kept apart, so that the few rows of a total lie together.
CREATE TABLE list_tallies_of_all PARTITION OF list_tallies FOR VALUES IN ('all') WITH (fillfactor = 50);
CREATE TABLE list_tallies_by_month PARTITION OF list_tallies FOR VALUES IN ('month');
CREATE TABLE list_tallies_by_day PARTITION OF list_tallies FOR VALUES IN ('day');
COMMENT ON COLUMN list_tallies.period IS 'First day, in UTC, of the month or day that the rows were created in.';

-- Without a foreign key to the store: only triggers of tables that have one write here, once for every order.
CREATE TABLE list_tally_changes (
  store_id int NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  list text NOT NULL,
  period date NOT NULL,
  labels text[] NOT NULL,
  rows int NOT NULL,
  PRIMARY KEY (store_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE list_tally_changes IS
  'Rows that came (positive) and went (negative) and are not in list_tallies yet. Appending takes no lock that others want: no writer of a store waits for another because both are counted.';
COMMENT ON COLUMN list_tally_changes.period IS 'The day; -infinity where a list is not tallied by day.';

CREATE VIEW list_counts AS
SELECT store_id, list, grain, period, labels, rows FROM list_tallies
UNION ALL
SELECT store_id, list, part.grain, part.period, labels, rows
FROM list_tally_changes AS change
CROSS JOIN LATERAL (VALUES
  ('all', '-infinity'::date),
  ('month', date_trunc('month', change.period)::date),
  ('day', change.period)
) AS part (grain, period)
WHERE part.grain = 'all' OR change.period > '-infinity';
COMMENT ON VIEW list_counts IS 'The sum of rows of a store, list and grain is the number of rows, exact at any moment.';
`;

// A store's changes are folded into its tallies by one of its writers, about once in 64 changes. The lock is not waited
// for, so nobody queues, and it is freed by the end of the transaction, when the fold is there for all to see. A
// transaction that looks at an older state of the database must not fold: it would delete what is gone already.
const FOLD = `
CREATE FUNCTION fold_list_tally_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  store int;
BEGIN
  FOR store IN SELECT store_id FROM added GROUP BY store_id HAVING count(*) > 64 * random() LOOP
    CONTINUE WHEN current_setting('transaction_isolation') <> 'read committed'
      OR NOT pg_try_advisory_xact_lock(hashtext('list_tally_changes'), store);
    WITH folded AS (
      DELETE FROM list_tally_changes WHERE store_id = store RETURNING list, period, labels, rows
    )
    INSERT INTO list_tallies (store_id, list, grain, period, labels, rows)
    SELECT store, list, part.grain, part.period, labels, sum(rows)
    FROM folded
    CROSS JOIN LATERAL (VALUES
      ('all', '-infinity'::date),
      ('month', date_trunc('month', folded.period)::date),
      ('day', folded.period)
    ) AS part (grain, period)
    WHERE part.grain = 'all' OR folded.period > '-infinity'
    GROUP BY list, part.grain, part.period, labels
    HAVING sum(rows) <> 0
    ORDER BY list, part.grain, part.period, labels
    ON CONFLICT (store_id, list, grain, period, labels) DO UPDATE SET rows = list_tallies.rows + excluded.rows;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER list_tally_changes_are_folded AFTER INSERT ON list_tally_changes
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION fold_list_tally_changes();
`;

/** One row for each of `rows`, a table of customers, with `n` to be summed up. */
const customers = (rows: string, n: number) => `
  SELECT store_id, 'customers' AS list, (created_at AT TIME ZONE 'UTC')::date AS period, ARRAY[lower(status)] AS labels,
    ${n} AS n
  FROM ${rows}`;

const orders = (rows: string, n: number) => `
  SELECT store_id, 'orders' AS list, (created_at AT TIME ZONE 'UTC')::date AS period,
    ARRAY[source, status, fulfillment_status] AS labels, ${n} AS n
  FROM ${rows}`;

const PRODUCT_LABELS = 'ARRAY[product.featured::text, product.in_stock::text] AS labels';

const inCategories = (links: string, products: string, n: number) => `
  SELECT link.store_id, 'category ' || link.category_id AS list, '-infinity'::date AS period, ${PRODUCT_LABELS}, ${n} AS n
  FROM ${links} AS link
  JOIN ${products} AS product ON product.store_id = link.store_id AND product.id = link.product_id
  WHERE product.status = 'ACTIVE'`;

const products = (rows: string, n: number) => `
  SELECT store_id, 'products' AS list, (created_at AT TIME ZONE 'UTC')::date AS period, ${PRODUCT_LABELS}, ${n} AS n
  FROM ${rows} AS product WHERE status = 'ACTIVE'
  UNION ALL ${inCategories('product_categories', rows, n)}`;

const links = (rows: string, n: number) => inCategories(rows, 'products', n);

const note = (counted: string) => `
  INSERT INTO list_tally_changes (store_id, list, period, labels, rows)
  SELECT store_id, list, period, labels, sum(n) FROM (${counted}) AS counted
  GROUP BY store_id, list, period, labels
  HAVING sum(n) <> 0;`;

/**
 * SQL that notes every change of `table` in the tallies, once for each statement.
 *
 * @param counted what rows that were added count for (`n` = 1), or rows that were removed (-1).
 * @param first what is to be done before, in PL/pgSQL.
 */
const tally = (table: string, counted: (rows: string, n: number) => string, first = '') => `
CREATE FUNCTION tally_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN ${first} ${note(counted('added', 1))}
  ELSIF TG_OP = 'DELETE' THEN ${note(counted('removed', -1))}
  ELSE ${note(`${counted('added', 1)} UNION ALL ${counted('removed', -1)}`)}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ${table}_are_tallied AFTER INSERT ON ${table}
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_${table}();
CREATE TRIGGER ${table}_stay_tallied AFTER UPDATE ON ${table}
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_${table}();
CREATE TRIGGER ${table}_are_no_more_tallied AFTER DELETE ON ${table}
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_${table}();
`;

// A product that changes and a category that it is put into at the same time must not both miss the other: the product
// is held before it is counted.
const HOLD_PRODUCTS = `
  PERFORM FROM products WHERE (store_id, id) IN (SELECT store_id, product_id FROM added)
  ORDER BY store_id, id FOR SHARE;`;

// A product leaves its categories while it can still be told what it counted for there; the cascade would come too late.
const LEAVE_CATEGORIES = `
CREATE FUNCTION leave_categories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM product_categories WHERE store_id = OLD.store_id AND product_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER products_leave_their_categories BEFORE DELETE ON products
  FOR EACH ROW EXECUTE FUNCTION leave_categories();
`;

const KEEP_TALLIES = [
  tally('orders', orders),
  tally('customers', customers),
  tally('products', products),
  tally('product_categories', links, HOLD_PRODUCTS),
  LEAVE_CATEGORIES,
];

const IN_STOCK = `
ALTER TABLE products ADD COLUMN in_stock boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN products.in_stock IS 'Whether units are in a bin of an active warehouse. Kept by triggers.';

CREATE FUNCTION is_in_stock(of_store int, of_product int) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (
  SELECT FROM stock
  JOIN bins ON bins.store_id = stock.store_id AND bins.id = stock.bin_id
  JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
  WHERE stock.store_id = of_store AND stock.product_id = of_product AND stock.quantity > 0 AND warehouses.active
);

UPDATE products SET in_stock = true WHERE is_in_stock(store_id, id);
CREATE INDEX products_in_stock ON products (store_id, created_at DESC, id DESC) WHERE status = 'ACTIVE' AND in_stock;
`;

// Only a bin that becomes empty or stops being so can change whether a product is in stock. Of two transactions that
// empty its last two bins, the second waits for the first, and then sees what the first did.
const KEEP_IN_STOCK = `
CREATE FUNCTION refresh_in_stock(of_store int, of_products int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM products WHERE store_id = of_store AND id = ANY (of_products) ORDER BY id FOR NO KEY UPDATE;
  UPDATE products SET in_stock = NOT in_stock
  WHERE store_id = of_store AND id = ANY (of_products) AND in_stock <> is_in_stock(store_id, id);
END $$;

CREATE FUNCTION keep_in_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
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
CREATE TRIGGER stock_comes_in AFTER INSERT ON stock
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_in_stock();
CREATE TRIGGER stock_moves AFTER UPDATE ON stock
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_in_stock();
CREATE TRIGGER stock_goes AFTER DELETE ON stock
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_in_stock();

CREATE FUNCTION keep_in_stock_of_warehouse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refresh_in_stock(NEW.store_id, array_agg(DISTINCT stock.product_id))
  FROM bins JOIN stock ON stock.store_id = bins.store_id AND stock.bin_id = bins.id
  WHERE bins.store_id = NEW.store_id AND bins.warehouse_id = NEW.id
  HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER warehouses_open_and_close AFTER UPDATE OF active ON warehouses
  FOR EACH ROW WHEN (OLD.active <> NEW.active) EXECUTE FUNCTION keep_in_stock_of_warehouse();
`;

// The foreign key keeps the copy of created_at equal to the product's.
const CATEGORY_ORDER = `
ALTER TABLE products ADD CONSTRAINT products_id_created_at_key UNIQUE (store_id, id, created_at);
ALTER TABLE product_categories ADD COLUMN created_at timestamptz(3);
UPDATE product_categories AS link SET created_at = product.created_at
FROM products AS product WHERE product.store_id = link.store_id AND product.id = link.product_id;
ALTER TABLE product_categories
  ALTER COLUMN created_at SET NOT NULL,
  DROP CONSTRAINT product_categories_store_id_product_id_fkey,
  ADD CONSTRAINT product_categories_product_fkey FOREIGN KEY (store_id, product_id, created_at)
    REFERENCES products (store_id, id, created_at) ON DELETE CASCADE ON UPDATE CASCADE;
COMMENT ON COLUMN product_categories.created_at IS 'When the product was created, so that a category lists its newest first.';
CREATE INDEX product_categories_newest ON product_categories (store_id, category_id, created_at DESC, product_id DESC);
DROP INDEX product_categories_by_category;

CREATE FUNCTION date_like_the_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT created_at INTO NEW.created_at FROM products
  WHERE store_id = NEW.store_id AND id = NEW.product_id FOR KEY SHARE;
  RETURN NEW;
END $$;
CREATE TRIGGER product_categories_are_dated BEFORE INSERT ON product_categories
  FOR EACH ROW WHEN (NEW.created_at IS NULL) EXECUTE FUNCTION date_like_the_product();
`;

const COUNT_WHAT_IS_THERE = note(
  [orders('orders', 1), customers('customers', 1), products('products', 1)].join(' UNION ALL '),
);
