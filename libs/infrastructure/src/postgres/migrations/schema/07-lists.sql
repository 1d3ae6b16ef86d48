-- The total and the first page of a list cost the same in a store of any size, because the database maintains exact row
-- counts. A list is 'orders', 'customers', 'products' (the active ones), 'category N' (its active products), 'skus',
-- 'stock', 'warehouse N' or 'bin N' (the stock in it). labels holds the values that the list's filters compare.
CREATE TABLE list_tallies (
  store_id int NOT NULL REFERENCES stores,
  list text NOT NULL,
  grain text NOT NULL CHECK (grain IN ('all', 'month', 'day')),
  period date NOT NULL, -- The first day, in UTC, of the month or day in which the rows were created.
  labels text[] NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (store_id, list, grain, period, labels)
) PARTITION BY LIST (grain);
COMMENT ON TABLE list_tallies IS 'Row counts of lists by labels: in total, by month and by day of creation.';
-- Each grain has its own partition, so that the few rows of a total are stored together.
CREATE TABLE list_tallies_of_all PARTITION OF list_tallies FOR VALUES IN ('all') WITH (fillfactor = 50);
CREATE TABLE list_tallies_by_month PARTITION OF list_tallies FOR VALUES IN ('month');
CREATE TABLE list_tallies_by_day PARTITION OF list_tallies FOR VALUES IN ('day');

-- The statistics of orders. A quarter of an hour belongs to one day in every time zone: since 1980, every zone differs
-- from UTC by a multiple of 15 minutes. Reads can therefore choose the zone, and a store that changes its zone recounts
-- nothing.
CREATE TABLE order_sums (
  store_id int NOT NULL REFERENCES stores,
  is_test boolean NOT NULL,
  quarter timestamptz NOT NULL, -- The start of the 15 minutes.
  source text NOT NULL,
  orders bigint NOT NULL, -- The number of orders placed in the quarter. The next columns are about these orders.
  cancelled bigint NOT NULL,
  units bigint NOT NULL,
  amount numeric NOT NULL, -- The sum of total_amount. Imported amounts may add up to more than a bigint.
  tax numeric NOT NULL,
  shipping numeric NOT NULL,
  discount numeric NOT NULL,
  -- The sum of the quarter's refunds, regardless of when their orders were placed. The same holds for the next columns.
  refunded numeric NOT NULL,
  paid numeric NOT NULL, -- The sum of payments in bookings.
  credited numeric NOT NULL, -- The sum of the bookings of the kind credit.
  given_up numeric NOT NULL, -- The sum of what other bookings credit: cancellations and write-offs.
  PRIMARY KEY (store_id, is_test, quarter, source)
);
COMMENT ON TABLE order_sums IS 'Sums of orders, refunds and bookings by quarters of an hour, for statistics.';

CREATE FUNCTION quarter_of(moment timestamptz) RETURNS timestamp LANGUAGE sql IMMUTABLE
RETURN date_bin('15 minutes', moment AT TIME ZONE 'UTC', '0001-01-01');

-- Appending takes no shared lock, so no writer of a store waits for another. There is no foreign key to stores: only
-- triggers of tables that have one write here, once for every order.
CREATE TABLE list_tally_changes (
  store_id int NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  list text NOT NULL, -- May also be 'refunds', 'paid', 'credited' or 'given_up', for order_sums only.
  -- The day of creation in UTC; for orders and the lists of order_sums, the quarter of an hour; -infinity in a list
  -- without tallies by day.
  period timestamp NOT NULL,
  labels text[] NOT NULL,
  rows int NOT NULL,
  units bigint, -- The units of each row; amount is also per row. Null in a list that order_sums does not sum.
  amount bigint,
  tax bigint, -- The tax of each order; the next columns are also per order. Null means 0, which takes no space.
  shipping bigint,
  discount bigint,
  PRIMARY KEY (store_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE list_tally_changes IS 'New (positive) and lost (negative) rows that list_tallies and order_sums do not count yet.';

-- A deleted change stays in the table and its index while an open snapshot may see it, such as that of a backup: reads
-- start after the mark. The condition on `single` lets the planner find the mark by its key: requests are planned
-- without scans of whole tables.
CREATE TABLE list_tally_mark (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  folded_through bigint NOT NULL
);
COMMENT ON TABLE list_tally_mark IS 'At most one row: list_tallies and order_sums count all changes up to it, and no more come.';

CREATE FUNCTION list_tally_mark() RETURNS bigint LANGUAGE sql STABLE
RETURN coalesce((SELECT folded_through FROM list_tally_mark WHERE single), 0);

-- A statement names the grain, so the planner keeps only two of the four parts.
CREATE VIEW list_counts AS
WITH change AS NOT MATERIALIZED (
  SELECT * FROM list_tally_changes
  WHERE id > coalesce((SELECT folded_through FROM list_tally_mark WHERE single), 0)
)
SELECT store_id, list, grain, period, labels, rows FROM list_tallies
UNION ALL
SELECT store_id, list, 'all', '-infinity', labels, rows FROM change
UNION ALL
SELECT store_id, list, 'month', date_trunc('month', period)::date, labels, rows FROM change WHERE period > '-infinity'
UNION ALL
SELECT store_id, list, 'day', period::date, labels, rows FROM change WHERE period > '-infinity';
COMMENT ON VIEW list_counts IS 'The sum of rows of a store, list and grain is the number of rows, exact at any moment.';

CREATE VIEW order_sum_changes AS
SELECT store_id, id, 'TEST' = ANY (labels) AS is_test, period AT TIME ZONE 'UTC' AS quarter, labels[1] AS source,
  CASE list WHEN 'orders' THEN rows ELSE 0 END AS orders,
  CASE WHEN 'CANCELLED' = ANY (labels) THEN rows ELSE 0 END AS cancelled,
  rows * units AS units,
  CASE list WHEN 'orders' THEN rows * amount::numeric ELSE 0 END AS amount,
  coalesce(rows * tax::numeric, 0) AS tax, coalesce(rows * shipping::numeric, 0) AS shipping,
  coalesce(rows * discount::numeric, 0) AS discount,
  CASE list WHEN 'refunds' THEN rows * amount::numeric ELSE 0 END AS refunded,
  CASE list WHEN 'paid' THEN rows * amount::numeric ELSE 0 END AS paid,
  CASE list WHEN 'credited' THEN rows * amount::numeric ELSE 0 END AS credited,
  CASE list WHEN 'given_up' THEN rows * amount::numeric ELSE 0 END AS given_up
FROM list_tally_changes
WHERE id > coalesce((SELECT folded_through FROM list_tally_mark WHERE single), 0)
  AND list IN ('orders', 'refunds', 'paid', 'credited', 'given_up');
COMMENT ON VIEW order_sum_changes IS 'What order_sums does not count yet: both together are exact at any moment.';

-- Folding moves changes of a store into its tallies and sums: the first 1,000, so that no transaction is long. It
-- returns their number. The caller holds the advisory lock of the store.
CREATE FUNCTION fold_list_tally_changes_of(store int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  through bigint := (
    SELECT max(id) FROM (
      SELECT id FROM list_tally_changes WHERE store_id = store AND id > list_tally_mark() ORDER BY id LIMIT 1000) AS batch);
  taken int;
BEGIN
  WITH summed AS (
    INSERT INTO order_sums AS kept (store_id, is_test, quarter, source, orders, cancelled, units, amount, tax, shipping, discount,
      refunded, paid, credited, given_up)
    SELECT store, is_test, quarter, source, sum(orders), sum(cancelled), sum(units), sum(amount), sum(tax), sum(shipping),
      sum(discount), sum(refunded), sum(paid), sum(credited), sum(given_up)
    FROM order_sum_changes WHERE store_id = store AND id <= through
    GROUP BY is_test, quarter, source
    HAVING (sum(orders), sum(cancelled), sum(units), sum(amount), sum(tax), sum(shipping), sum(discount), sum(refunded),
      sum(paid), sum(credited), sum(given_up)) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    ORDER BY is_test, quarter, source
    ON CONFLICT (store_id, is_test, quarter, source) DO UPDATE SET orders = kept.orders + excluded.orders,
      cancelled = kept.cancelled + excluded.cancelled, units = kept.units + excluded.units,
      amount = kept.amount + excluded.amount, tax = kept.tax + excluded.tax, shipping = kept.shipping + excluded.shipping,
      discount = kept.discount + excluded.discount, refunded = kept.refunded + excluded.refunded, paid = kept.paid + excluded.paid,
      credited = kept.credited + excluded.credited, given_up = kept.given_up + excluded.given_up
  ), folded AS (
    DELETE FROM list_tally_changes WHERE store_id = store AND id > list_tally_mark() AND id <= through
    RETURNING list, period, labels, rows
  ), counted AS (
    INSERT INTO list_tallies (store_id, list, grain, period, labels, rows)
    SELECT store, list, part.grain, part.period, labels, sum(rows)
    FROM folded
    CROSS JOIN LATERAL (VALUES ('all', '-infinity'::date), ('month', date_trunc('month', folded.period)::date),
      ('day', folded.period::date)) AS part (grain, period)
    WHERE list <> ALL ('{refunds,paid,credited,given_up}') AND (part.grain = 'all' OR folded.period > '-infinity')
    GROUP BY list, part.grain, part.period, labels HAVING sum(rows) <> 0
    ORDER BY list, part.grain, part.period, labels
    ON CONFLICT (store_id, list, grain, period, labels) DO UPDATE SET rows = list_tallies.rows + excluded.rows
  )
  SELECT count(*) INTO taken FROM folded;
  RETURN taken;
END $$;

-- About one change in 64 makes its writer fold the store, unless another writer is folding it: no writer waits. A
-- transaction with an older snapshot must not fold: it would delete changes that are already gone. The trigger runs for
-- each row: nearly all statements add one row, and a condition is cheaper than a query.
CREATE FUNCTION fold_list_tally_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF 64 * random() < 1 AND current_setting('transaction_isolation') = 'read committed'
    AND pg_try_advisory_xact_lock(hashtext('list_tally_changes'), NEW.store_id) THEN
    PERFORM fold_list_tally_changes_of(NEW.store_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER list_tally_changes_are_folded AFTER INSERT ON list_tally_changes
  FOR EACH ROW EXECUTE FUNCTION fold_list_tally_changes();

-- The worker advances the mark past the folded changes, and never waits. It must know that no open transaction can
-- still add a change up to `through`.
CREATE FUNCTION pass_list_tally_changes(through bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE oldest bigint;
BEGIN
  SELECT min(waiting.id) INTO oldest FROM stores CROSS JOIN LATERAL (
    SELECT id FROM list_tally_changes WHERE store_id = stores.id AND id > list_tally_mark() ORDER BY id LIMIT 1) AS waiting;
  INSERT INTO list_tally_mark (folded_through) VALUES (least(through, oldest - 1))
  ON CONFLICT (single) DO UPDATE SET folded_through = greatest(list_tally_mark.folded_through, excluded.folded_through);
END $$;

-- Makes a listed table count its changes once for each statement. `counted` selects store_id, list, period, labels and
-- n from counted_rows, in which n is 1 for a new row and -1 for a removed one. `before` runs first, on those rows
-- without n. `further` names additional columns of the changes that `counted` selects.
CREATE FUNCTION pg_temp.tally(of_table text, counted text, before text DEFAULT '', further text DEFAULT '') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  columns constant text := 'store_id, list, period, labels' || further;
  statements constant text := before || '
  INSERT INTO list_tally_changes (' || columns || ', rows)
  WITH counted_rows AS (%2$s) SELECT ' || columns || ', sum(n) FROM (' || counted || ') AS counted
  GROUP BY ' || columns || ' HAVING sum(n) <> 0';
BEGIN
  PERFORM pg_temp.after_each_statement('tally', of_table, '{insert,delete}', format(statements,
    'TABLE changed', 'SELECT *, CASE TG_OP WHEN ''INSERT'' THEN 1 ELSE -1 END AS n FROM changed'));
  PERFORM pg_temp.after_each_statement('tally_updated', of_table, '{update}', format(statements,
    'TABLE changed UNION ALL TABLE removed', 'SELECT *, 1 AS n FROM changed UNION ALL SELECT *, -1 FROM removed'));
END $$;

SELECT pg_temp.tally('orders', $$
  SELECT store_id, 'orders' AS list, quarter_of(created_at) AS period,
    ARRAY[source, status, fulfillment_status, CASE WHEN is_test THEN 'TEST' ELSE 'LIVE' END,
      CASE WHEN held_reasons IS NULL THEN 'OPEN' ELSE 'HELD' END] AS labels, units,
    total_amount AS amount, nullif(tax_amount, 0) AS tax, nullif(shipping_amount, 0) AS shipping,
    nullif(discount_amount, 0) AS discount, n
  FROM counted_rows$$, further => ', units, amount, tax, shipping, discount');

-- The source and the mode of an order never change.
SELECT pg_temp.tally('refunds', $$
  SELECT refund.store_id, 'refunds' AS list, quarter_of(refund.at) AS period,
    ARRAY[source, CASE WHEN is_test THEN 'TEST' ELSE 'LIVE' END] AS labels, 0 AS units, refund.amount, n
  FROM counted_rows AS refund JOIN orders ON orders.store_id = refund.store_id AND orders.id = refund.order_id$$,
  further => ', units, amount');

SELECT pg_temp.after_each_statement('tally', 'bookings', '{insert}', $$
  INSERT INTO list_tally_changes (store_id, list, period, labels, units, amount, rows)
  SELECT booked.store_id, part.list, quarter_of(booked.at),
    ARRAY[source, CASE WHEN orders.is_test THEN 'TEST' ELSE 'LIVE' END], 0, part.amount, count(*)
  FROM changed AS booked JOIN orders ON orders.store_id = booked.store_id AND orders.id = booked.order_id
  CROSS JOIN LATERAL (VALUES ('paid', paid), (CASE kind WHEN 'credit' THEN 'credited' ELSE 'given_up' END, credited)
  ) AS part (list, amount)
  WHERE part.amount <> 0
  GROUP BY 1, 2, 3, 4, 6$$);

SELECT pg_temp.tally('customers', $$
  SELECT store_id, 'customers' AS list, (created_at AT TIME ZONE 'UTC')::date AS period, ARRAY[lower(status)] AS labels, n
  FROM counted_rows$$);

-- A product that changes its labels also changes the counts of its categories.
SELECT pg_temp.tally('products', $$
  WITH product AS (
    SELECT store_id, id, (created_at AT TIME ZONE 'UTC')::date AS period, ARRAY[featured::text, in_stock::text] AS labels, n
    FROM counted_rows WHERE status = 'ACTIVE'
  )
  SELECT store_id, 'products' AS list, period, labels, n FROM product
  UNION ALL
  SELECT link.store_id, 'category ' || category_id, '-infinity', labels, n
  FROM product JOIN product_categories AS link ON link.store_id = product.store_id AND product_id = product.id$$);

-- When a product and its links change at the same time, they must not both miss, or both count, each other: a statement
-- that changes links locks their products before it counts.
SELECT pg_temp.tally('product_categories', $$
  SELECT link.store_id, 'category ' || category_id AS list, '-infinity'::date AS period,
    ARRAY[featured::text, in_stock::text] AS labels, n
  FROM counted_rows AS link JOIN products AS product ON product.store_id = link.store_id AND product.id = link.product_id
  WHERE product.status = 'ACTIVE'$$, $$
  PERFORM FROM products WHERE (store_id, id) IN (SELECT store_id, product_id FROM (%1$s) AS link)
  ORDER BY store_id, id FOR SHARE;$$);

-- The list of stock is sorted by its primary key, and counted in blocks of 256 products: the running sum finds the
-- block of a page deep in the list. An update of a quantity moves no row.
CREATE FUNCTION stock_block(product_id int) RETURNS int LANGUAGE sql IMMUTABLE RETURN product_id / 256;

SELECT pg_temp.after_each_statement('tally', 'stock', '{insert,delete}', $$
  INSERT INTO list_tally_changes (store_id, list, period, labels, rows)
  SELECT changed.store_id, part.list, '-infinity', ARRAY[stock_block(product_id)::text] AS labels,
    CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
  FROM changed JOIN bins ON bins.store_id = changed.store_id AND bins.id = changed.bin_id
  CROSS JOIN LATERAL (VALUES ('stock'), ('warehouse ' || bins.warehouse_id), ('bin ' || bins.id)) AS part (list)
  GROUP BY changed.store_id, part.list, labels$$);

CREATE FUNCTION tally_moved_bin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_tally_changes (store_id, list, period, labels, rows)
  SELECT store_id, part.list, '-infinity', ARRAY[stock_block(product_id)::text] AS labels, sum(part.n)
  FROM stock
  CROSS JOIN (VALUES ('warehouse ' || OLD.warehouse_id, -1), ('warehouse ' || NEW.warehouse_id, 1)) AS part (list, n)
  WHERE store_id = NEW.store_id AND bin_id = NEW.id
  GROUP BY store_id, part.list, labels;
  RETURN NULL;
END $$;
CREATE TRIGGER bins_take_their_stock_along AFTER UPDATE ON bins
  FOR EACH ROW WHEN (OLD.warehouse_id <> NEW.warehouse_id) EXECUTE FUNCTION tally_moved_bin();

-- The list of SKUs: active variants of active products, and active products without active variants. They come from two
-- tables, so neither has an index in its sequence. There are no foreign keys: only triggers write here, under the lock
-- on the product.
CREATE TABLE sellable_units (
  store_id int NOT NULL,
  product_id int NOT NULL,
  variant_key int NOT NULL, -- 0 stands for the product itself.
  sku text NOT NULL,
  in_stock boolean NOT NULL, -- Whether a bin of an active warehouse holds units.
  search_text text GENERATED ALWAYS AS (lower(normalize(sku))) STORED,
  PRIMARY KEY (store_id, product_id, variant_key)
);
COMMENT ON TABLE sellable_units IS 'What can be ordered: active variants, and active products without one. Triggers maintain it.';
-- These indexes serve the list of SKUs: all, in stock, out of stock. Code points sort the same on every operating
-- system and in every locale.
CREATE UNIQUE INDEX sellable_units_by_sku ON sellable_units (store_id, sku COLLATE "C", product_id, variant_key);
CREATE INDEX sellable_units_in_stock ON sellable_units (store_id, sku COLLATE "C", product_id, variant_key) WHERE in_stock;
CREATE INDEX sellable_units_out_of_stock ON sellable_units (store_id, sku COLLATE "C", product_id, variant_key) WHERE NOT in_stock;
-- These indexes find units by SKU, in any letter case, and by a part of it.
CREATE INDEX sellable_units_by_word ON sellable_units (store_id, upper(sku));
CREATE INDEX sellable_units_search ON sellable_units USING gin (store_id, search_text gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE VIEW units_for_sale AS
SELECT product.store_id, product.id AS product_id, coalesce(variant.id, 0) AS variant_key,
  coalesce(variant.sku, product.sku) AS sku
FROM products AS product
LEFT JOIN product_variants AS variant
  ON variant.store_id = product.store_id AND variant.product_id = product.id AND variant.status = 'ACTIVE'
WHERE product.status = 'ACTIVE';
COMMENT ON VIEW units_for_sale IS 'What sellable_units must hold.';

CREATE VIEW stock_units AS
SELECT store_id, id AS product_id, 0 AS variant_key, sku,
  NOT EXISTS (
    SELECT FROM product_variants AS variant
    WHERE variant.store_id = product.store_id AND variant.product_id = product.id AND variant.status = 'ACTIVE'
    OFFSET 0 -- OFFSET keeps the planner from reading the variants of all products
  ) AS is_offered, status = 'ACTIVE' AS is_active
FROM products AS product
UNION ALL
SELECT store_id, product_id, id, sku, status = 'ACTIVE',
  (SELECT status = 'ACTIVE' FROM products WHERE store_id = variant.store_id AND id = variant.product_id)
FROM product_variants AS variant;
COMMENT ON VIEW stock_units IS 'All that can lie in a bin: products and variants, of every status. Those for sale are offered and active.';

CREATE FUNCTION is_unit_in_stock(of_store int, of_product int, of_variant_key int) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (
  SELECT FROM stock
  WHERE store_id = of_store AND product_id = of_product AND variant_key = of_variant_key AND quantity > 0
    AND NOT EXISTS (SELECT FROM closed_bins WHERE store_id = of_store AND id = stock.bin_id)
);

-- Every writer of a product's units holds the lock on the product. Each statement makes one kind of change: the trigger
-- of one kind must not count while changes of another kind are made but not yet counted.
CREATE FUNCTION refresh_sellable_units(of_store int, of_products int[]) RETURNS void LANGUAGE plpgsql
-- The plans may be made for empty tables or with old statistics. None joins the units of a product with each other: each unit
-- is looked up by its whole key, since PostgreSQL 18 may read the index of all SKUs of the store for a range of each column.
-- A look-up ends at its key: the index keeps the entries of units that the same transaction has removed.
-- Each row that changes is found by its ctid. No index has a numeric.
SET enable_seqscan = off AS $$
DECLARE
  product_ids int[];
  variant_keys int[];
  skus text[];
BEGIN
  PERFORM FROM products WHERE store_id = of_store AND id = ANY (of_products) ORDER BY id FOR NO KEY UPDATE;
  SELECT array_agg(actual.product_id), array_agg(actual.variant_key), array_agg(actual.sku) INTO product_ids, variant_keys, skus
  FROM unnest(of_products) AS changed (id)
  CROSS JOIN LATERAL (
    SELECT product_id, variant_key, sku FROM units_for_sale
    WHERE store_id = of_store AND product_id = changed.id OFFSET 0
  ) AS actual;
  DELETE FROM sellable_units WHERE store_id = of_store::numeric AND ctid = ANY (ARRAY(
    SELECT unit.ctid FROM unnest(of_products) AS changed (id)
    CROSS JOIN LATERAL (
      SELECT ctid, product_id, variant_key FROM sellable_units
      WHERE store_id = of_store AND product_id BETWEEN changed.id AND changed.id ORDER BY product_id, variant_key OFFSET 0
    ) AS unit
    WHERE (unit.product_id, unit.variant_key) NOT IN (SELECT * FROM unnest(product_ids, variant_keys))));
  UPDATE sellable_units AS unit SET sku = renamed.sku
  FROM (
    SELECT known.ctid, actual.sku FROM unnest(product_ids, variant_keys, skus) AS actual (product_id, variant_key, sku)
    CROSS JOIN LATERAL (
      SELECT ctid, product_id, variant_key, sku FROM sellable_units
      WHERE store_id = of_store AND (product_id, variant_key) >= (actual.product_id, actual.variant_key)
        AND (product_id, variant_key) <= (actual.product_id, actual.variant_key)
      ORDER BY product_id, variant_key LIMIT 1
    ) AS known
    WHERE known.sku <> actual.sku OFFSET 0
  ) AS renamed
  WHERE unit.store_id = of_store::numeric AND unit.ctid = renamed.ctid;
  INSERT INTO sellable_units (store_id, product_id, variant_key, sku, in_stock)
  SELECT of_store, actual.product_id, actual.variant_key, actual.sku,
    is_unit_in_stock(of_store, actual.product_id, actual.variant_key)
  FROM unnest(product_ids, variant_keys, skus) AS actual (product_id, variant_key, sku)
  WHERE (
    SELECT true FROM sellable_units
    WHERE store_id = of_store AND (product_id, variant_key) >= (actual.product_id, actual.variant_key)
      AND (product_id, variant_key) <= (actual.product_id, actual.variant_key)
    ORDER BY product_id, variant_key LIMIT 1) IS NOT TRUE;
END $$;

-- Prices and names are not in the table, so most updates of the catalog end here after a comparison.
SELECT pg_temp.after_each_statement('keep_units_of', 'products', '{insert,delete}', $$
  PERFORM refresh_sellable_units(store_id, array_agg(id)) FROM changed WHERE status = 'ACTIVE' GROUP BY store_id$$);
SELECT pg_temp.after_each_statement('keep_units_of_updated', 'products', '{update}', $$
  PERFORM refresh_sellable_units(store_id, array_agg(id)) FROM (
    SELECT store_id, id, status, sku FROM changed EXCEPT SELECT store_id, id, status, sku FROM removed) AS updated
  GROUP BY store_id$$);

SELECT pg_temp.after_each_statement('keep_units_of', 'product_variants', '{insert,delete}', $$
  PERFORM refresh_sellable_units(store_id, array_agg(DISTINCT product_id)) FROM changed GROUP BY store_id$$);
SELECT pg_temp.after_each_statement('keep_units_of_updated', 'product_variants', '{update}', $$
  PERFORM refresh_sellable_units(store_id, array_agg(DISTINCT product_id)) FROM (
    SELECT store_id, product_id, id, sku, status FROM changed
    EXCEPT SELECT store_id, product_id, id, sku, status FROM removed) AS updated
  GROUP BY store_id;
  PERFORM refresh_in_stock(store_id, array_agg(DISTINCT product_id)) FROM (
    SELECT store_id, product_id, id, status FROM changed EXCEPT SELECT store_id, product_id, id, status FROM removed
  ) AS updated GROUP BY store_id$$);

SELECT pg_temp.tally('sellable_units', $$
  SELECT store_id, 'skus' AS list, '-infinity'::date AS period, ARRAY[in_stock::text] AS labels, n FROM counted_rows$$);
