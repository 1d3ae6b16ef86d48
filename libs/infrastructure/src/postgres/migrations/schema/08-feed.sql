-- A reader follows positions, so no change may ever appear before a position that a reader has seen. Sequences, times
-- and transaction ids do not have the sequence of commits. Changes are therefore numbered after their commit: triggers
-- append them to change_log, and number_changes moves what is committed into changes, one transaction of a store at a
-- time.

-- These are the resources of the feed. A new kind needs its word here, triggers that log it, and its look-up in
-- number_changes.
CREATE TYPE change_kind AS ENUM ('orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock', 'price_lists');

-- There are no foreign keys to stores: only triggers of tables that have one write here, several times for every order.
CREATE TABLE change_log (
  store_id int NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind change_kind NOT NULL,
  entity text COLLATE "C" NOT NULL, -- The id of the resource.
  -- The sellable units that change with a product: a variant key names one, null means all, -1 means none. When the
  -- change is numbered, each unit becomes a change of 'skus', and each of its bins one of 'stock'.
  unit int,
  logged_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (store_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE change_log IS 'Changes that have no position yet. Appending takes no shared lock: no writer waits for another.';

-- This table is separate from the log, which every order writes: a CHECK there would cost every order.
CREATE TABLE shared_changes (
  store_id int NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  via text NOT NULL CHECK (via IN ('brand', 'category', 'bin', 'place', 'orders', 'store')),
  entity int NOT NULL, -- The id of what via names: a bin for place and orders.
  -- How far change_log has them: the last key, in the sequence in which they are read.
  through text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (store_id, id)
);
COMMENT ON TABLE shared_changes IS 'Changes of what many products show, that are not yet in change_log for each of them.';

-- Like with the tallies, a deleted row stays while an open snapshot may see it; reads start after the mark.
CREATE TABLE change_log_mark (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  passed bigint NOT NULL
);
COMMENT ON TABLE change_log_mark IS 'At most one row. change_log has no row up to this id, and no later transaction adds one.';

CREATE TABLE changes (
  store_id int NOT NULL,
  kind change_kind NOT NULL,
  entity text COLLATE "C" NOT NULL,
  position bigint NOT NULL, -- Counts all kinds of a store together, from 1.
  deleted boolean NOT NULL, -- Whether the API no longer shows the resource.
  -- The time at which the change got its position. It rises with the positions of a store.
  changed_at timestamptz(3) NOT NULL,
  -- Each resource has one row. Its position comes last in the key: the versions that an open snapshot keeps have lower
  -- ones, and the row is found before them.
  PRIMARY KEY (store_id, kind, entity, position)
);
COMMENT ON TABLE changes IS 'The newest change of each resource. A later change of the same resource moves its row to a new position.';
-- Serves the feed, and finds the newest position of a kind.
CREATE UNIQUE INDEX changes_by_position ON changes (store_id, kind, position);
-- Finds where the feed starts for a time, and serves lists by the time of the last change.
CREATE INDEX changes_by_time ON changes (store_id, kind, changed_at);
-- Retention deletes the oldest tombstones of a store.
CREATE INDEX changes_deleted ON changes (store_id, changed_at) WHERE deleted;

-- The newest rows determine the next positions: without them, other changes would get positions that readers have
-- passed.
CREATE TRIGGER changes_keep_counting BEFORE TRUNCATE ON changes
  EXECUTE FUNCTION refuse_change('counts the positions of the feed and cannot be emptied');

CREATE TABLE purged_changes (
  store_id int NOT NULL REFERENCES stores,
  kind change_kind NOT NULL,
  through bigint NOT NULL,
  PRIMARY KEY (store_id, kind)
);
COMMENT ON TABLE purged_changes IS 'The newest position of a purged tombstone of each kind: a reader that has not passed it may have missed one.';

-- After a restore, or a failover to a standby that lacks the last commits, the same positions are assigned again, to
-- other changes. Each such event begins a branch: a reader of an older branch that is past the fork has seen what is
-- lost.
CREATE TABLE change_branches (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  -- The cluster, database and timeline of PostgreSQL. A copy has another cluster or database, a failover another
  -- timeline.
  place text NOT NULL,
  -- The newest ids when the branch began. Rows up to them may have transaction ids of another cluster.
  last_movement bigint NOT NULL,
  last_event bigint NOT NULL
);
COMMENT ON TABLE change_branches IS 'Histories of the database: the first, and one for each restore and fail-over. The highest number is the current one.';

CREATE TABLE change_forks (
  store_id int NOT NULL,
  branch int NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (store_id, branch)
);
COMMENT ON TABLE change_forks IS 'The last position of a former branch, by store, up to which its readers may continue. A store without a row did not exist in that branch.';

-- A position of the feed at which stock can be counted: the end of a numbering. A transaction is before it if the
-- snapshot sees the transaction: the numbering has assigned positions to exactly these. A row is written only when
-- orders or stock have changed.
CREATE TABLE feed_snapshots (
  store_id int NOT NULL,
  branch int NOT NULL,
  position bigint NOT NULL, -- The last position of the numbering.
  -- The last position before the numbering. A position between the two cannot be used for a count.
  began_after bigint NOT NULL,
  snapshot pg_snapshot, -- Null when the numbering left committed changes to the next one.
  taken_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (store_id, branch, position)
);
COMMENT ON TABLE feed_snapshots IS 'What a reader at a position of the feed has seen. Retention deletes old rows.';
-- Retention deletes the oldest rows.
CREATE INDEX feed_snapshots_by_age ON feed_snapshots (taken_at);

-- Returns the newest position of a store among some kinds; 0 without any.
CREATE FUNCTION newest_change(of_store int, of_kinds change_kind[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT coalesce(max(newest.position), 0)
    FROM unnest(of_kinds) AS wanted (kind) CROSS JOIN LATERAL (
      SELECT position FROM changes WHERE store_id = of_store AND changes.kind = wanted.kind
      ORDER BY position DESC LIMIT 1
    ) AS newest);
END $$;

-- Identifies the history that is being written. Null on a server in recovery.
CREATE FUNCTION place_of_branch() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN NULL;
  END IF;
  RETURN (
    SELECT system_identifier || ' ' || oid || ' ' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
    FROM pg_control_system() CROSS JOIN pg_database WHERE datname = current_database());
END $$;

-- A copy made by PostgreSQL's own tools contains transaction ids of another cluster. The function waits for
-- transactions that move stock or change an order: what they write is then before the branch, or has a newer id. A
-- failover keeps the ids and causes no wait.
CREATE FUNCTION begin_branch() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before change_branches := (SELECT branch FROM change_branches AS branch ORDER BY number DESC LIMIT 1);
  is_copy boolean := coalesce(regexp_replace(before.place, ' [^ ]*$', '') <> regexp_replace(place_of_branch(), ' [^ ]*$', ''), false);
  begun int;
BEGIN
  IF is_copy THEN
    LOCK TABLE stock_movements, order_events IN SHARE ROW EXCLUSIVE MODE;
    before.last_movement := coalesce(pg_sequence_last_value('stock_movements_id_seq'), 0);
    before.last_event := coalesce(pg_sequence_last_value('order_events_id_seq'), 0);
  END IF;
  INSERT INTO change_branches (place, last_movement, last_event)
  VALUES (place_of_branch(), coalesce(before.last_movement, 0), coalesce(before.last_event, 0))
  RETURNING number INTO begun;
  -- Positions that an earlier branch lost stay lost in this one.
  INSERT INTO change_forks AS known (store_id, branch, position)
  SELECT stores.id, number, newest_change(stores.id, enum_range(NULL::change_kind)) FROM stores CROSS JOIN change_branches
  WHERE number < begun
  ON CONFLICT (store_id, branch) DO UPDATE SET position = least(known.position, excluded.position);
END $$;

-- A store that moves in brings the branches of its former cluster, below the current one, because its readers have
-- cursors of them. Cursors of the branch that was current there stay valid, like those of the current branch here.
CREATE FUNCTION adopt_branches(of_store int, branches jsonb, forks jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  current_there constant int := (SELECT max(number) FROM jsonb_to_recordset(branches) AS every (number int));
BEGIN
  INSERT INTO change_branches (number, id, place, last_movement, last_event) OVERRIDING SYSTEM VALUE
  SELECT least((SELECT min(number) FROM change_branches), 1) - row_number() OVER (ORDER BY theirs.number DESC),
    theirs.id, 'moved from ' || theirs.place, 0, 0
  FROM jsonb_to_recordset(branches) AS theirs (number int, id uuid, place text)
  WHERE NOT EXISTS (SELECT FROM change_branches AS known WHERE known.id = theirs.id);
  INSERT INTO change_forks (store_id, branch, position)
  SELECT of_store, own.number,
    CASE WHEN theirs.number = current_there THEN newest_change(of_store, enum_range(NULL::change_kind)) ELSE fork.position END
  FROM jsonb_to_recordset(branches) AS theirs (number int, id uuid)
  JOIN change_branches AS own ON own.id = theirs.id
  LEFT JOIN jsonb_to_recordset(forks) AS fork (branch uuid, position bigint) ON fork.branch = theirs.id
  WHERE own.number < (SELECT max(number) FROM change_branches)
    AND (fork.position IS NOT NULL OR theirs.number = current_there);
END $$;

-- Begins a branch after a failover, and in a copy made by PostgreSQL's own tools. A former primary must neither number
-- changes nor answer for the current one.
CREATE FUNCTION keep_branch() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'the feed needs the primary' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  FOR attempt IN 1..2 LOOP
    IF (SELECT place FROM change_branches ORDER BY number DESC LIMIT 1) = place_of_branch() THEN
      RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('change_branches'));
  END LOOP;
  PERFORM begin_branch();
END $$;

-- Returns the last of the waiting changes to number together: with the units and bins of their products, about 5,000.
-- Null means all of them. The numbers of variants and bins of a product are limited, so its change may add only a few
-- more. The units that a product has lost count, too, while the feed tells of their deletion.
CREATE FUNCTION end_of_batch(of_store int, mark bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT id FROM (
      SELECT id, sum(1 + CASE WHEN kind = 'products' AND unit IS DISTINCT FROM -1 THEN (
        SELECT count(*) FROM (
          (SELECT FROM sellable_units WHERE store_id = of_store AND product_id BETWEEN entity::int AND entity::int
            AND variant_key BETWEEN coalesce(unit, 0) AND coalesce(unit, 2147483647)
          ORDER BY product_id, variant_key)
          UNION ALL
          (SELECT FROM stock WHERE store_id = of_store AND product_id BETWEEN entity::int AND entity::int
            AND variant_key BETWEEN coalesce(unit, 0) AND coalesce(unit, 2147483647)
          ORDER BY product_id, variant_key, bin_id)
          UNION ALL
          (SELECT FROM changes AS known
          -- @protects gone-units-in-batch
          WHERE known.store_id = of_store AND known.kind = 'skus' AND known.deleted AND unit IS NULL
            AND known.entity >= change_log.entity AND known.entity < change_log.entity || '.'
          ORDER BY known.entity LIMIT 5000)) AS derived)
      ELSE 0 END) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS changes
      FROM change_log WHERE store_id = of_store AND id > mark
    ) AS waiting WHERE changes >= 5000 ORDER BY id LIMIT 1);
END $$;

-- Assigns positions to committed changes of a store. Returns their number, about 5,000 while more may wait, or null
-- while another transaction is numbering or has locked a table: it does not wait. The lock is released after the
-- positions are visible. The statement after it sees all earlier positions, and whether the resource still exists. A
-- later change is logged again.
CREATE FUNCTION number_changes(of_store int) RETURNS int LANGUAGE plpgsql
-- Planning takes longer than numbering the changes of a few orders. The generic plan may be made for empty tables, or with
-- statistics from before a kind of changes became frequent: each look-up reads the index that has its order.
SET plan_cache_mode = force_generic_plan
SET enable_sort = off
SET enable_seqscan = off AS $$
DECLARE
  mark bigint := coalesce((SELECT passed FROM change_log_mark WHERE single), 0);
  is_shared boolean := EXISTS (SELECT FROM shared_changes WHERE store_id = of_store);
  upto bigint;
  is_last boolean;
  newest bigint;
  newest_at timestamptz;
  moved int;
BEGIN
  PERFORM keep_branch();
  IF NOT is_shared AND NOT EXISTS (SELECT FROM change_log WHERE store_id = of_store AND id > mark) THEN
    RETURN 0;
  END IF;
  -- @protects numbering-lock
  IF current_setting('transaction_isolation') <> 'read committed'
    OR NOT pg_try_advisory_xact_lock(hashtext('change_log'), of_store) THEN
    RETURN NULL;
  END IF;
  -- A crash must not take back a position that a reader has seen.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'local', true);
  END IF;

  -- No caller waits long for a table that a command has locked, so that readers, and those who share their connection,
  -- continue.
  PERFORM set_config('lock_timeout', '100ms', true);
  BEGIN
    upto := end_of_batch(of_store, mark);
    IF is_shared AND upto IS NULL THEN
      is_shared := spread_shared_changes(of_store);
      upto := end_of_batch(of_store, mark);
    END IF;
    newest := newest_change(of_store, enum_range(NULL::change_kind));
    -- A replay of a webhook finds its position by time: after a clock was set back, times must not decrease.
    newest_at := (
      SELECT max(last.changed_at) FROM unnest(enum_range(NULL::change_kind)) AS each (kind)
      CROSS JOIN LATERAL (
        SELECT changed_at FROM changes WHERE store_id = of_store AND changes.kind = each.kind
        ORDER BY position DESC LIMIT 1
      ) AS last);
    -- The last batch takes everything that its own snapshot sees, so its end can be used for counts.
    is_last := upto IS NULL;
    upto := coalesce(upto, 9223372036854775807);
    -- @protects numbering-snapshot
    WITH waiting AS (
      DELETE FROM change_log WHERE store_id = of_store AND id > mark AND id <= upto
      RETURNING id, kind, entity, unit
    ), touched AS (
      SELECT kind, entity, max(id) AS last FROM (
        SELECT kind, entity, id FROM waiting
        UNION ALL
        SELECT 'skus', entity || coalesce('-' || nullif(unit, 0), ''), id FROM waiting
        WHERE kind = 'products' AND unit IS DISTINCT FROM -1
        UNION ALL
        -- This adds all units of a product: the current ones, and those that a reader may have seen, even as deleted,
        -- because a unit may have come back and gone again. The ids 7 and 7-… sort before '7.', and 70 after it.
        SELECT 'skus', unit.entity, product.last FROM (
          SELECT entity, max(id) AS last FROM waiting WHERE kind = 'products' AND unit IS NULL GROUP BY entity
        ) AS product
        CROSS JOIN LATERAL (
          (SELECT product_id || coalesce('-' || nullif(variant_key, 0), '') AS entity FROM sellable_units
          WHERE store_id = of_store AND product_id BETWEEN product.entity::int AND product.entity::int
          ORDER BY product_id, variant_key)
          UNION ALL
          (SELECT entity FROM changes AS known
          -- @protects deleted-units
          WHERE known.store_id = of_store AND known.kind = 'skus'
            AND known.entity >= product.entity AND known.entity < product.entity || '.'
          ORDER BY known.entity)
        ) AS unit
        UNION ALL
        -- This adds all bins of the units. A bin's id is '<product>-<variant or 0>-<bin>'.
        SELECT 'stock', bin.entity, product.last FROM (
          SELECT entity, unit, max(id) AS last, entity || coalesce('-' || unit, '') AS prefix FROM waiting
          WHERE kind = 'products' AND unit IS DISTINCT FROM -1 GROUP BY entity, unit
        ) AS product
        CROSS JOIN LATERAL (
          (SELECT product_id || '-' || variant_key || '-' || bin_id AS entity FROM stock
          WHERE store_id = of_store AND product_id BETWEEN product.entity::int AND product.entity::int
            AND variant_key BETWEEN coalesce(product.unit, 0) AND coalesce(product.unit, 2147483647)
          ORDER BY product_id, variant_key, bin_id)
          UNION ALL
          -- The look-ups go from the last to the first, one at a time: a scan of the range would read all versions.
          (WITH RECURSIVE known AS (
            (SELECT entity FROM changes
            WHERE store_id = of_store AND kind = 'stock'
              AND entity >= product.prefix || '-' AND entity < product.prefix || '.'
            ORDER BY entity DESC, position DESC LIMIT 1)
            UNION ALL
            SELECT earlier.entity FROM known CROSS JOIN LATERAL (
              SELECT entity FROM changes
              WHERE store_id = of_store AND kind = 'stock'
                AND entity >= product.prefix || '-' AND entity < known.entity
              ORDER BY entity DESC, position DESC LIMIT 1
            ) AS earlier
          ) SELECT entity FROM known)
        ) AS bin
      ) AS change GROUP BY kind, entity
    ), states AS MATERIALIZED (
      -- The query reads a sorted range with a single id: only the primary key has this order, so the one plan for all
      -- calls uses it even when made for empty tables. A unit is looked up by its whole key: otherwise, PostgreSQL 18
      -- reads the index of all SKUs of the store.
      SELECT touched.*, coalesce(CASE kind
        WHEN 'orders' THEN (SELECT true FROM orders
          WHERE store_id = of_store AND id BETWEEN entity::uuid AND entity::uuid ORDER BY id LIMIT 1)
        WHEN 'products' THEN (SELECT status = 'ACTIVE' FROM products
          WHERE store_id = of_store AND id BETWEEN entity::int AND entity::int ORDER BY id LIMIT 1)
        WHEN 'skus' THEN (SELECT product_id = split_part(entity, '-', 1)::int
            AND variant_key = ('0' || split_part(entity, '-', 2))::int
          FROM sellable_units
          WHERE store_id = of_store
            AND (product_id, variant_key) >= (split_part(entity, '-', 1)::int, ('0' || split_part(entity, '-', 2))::int)
          ORDER BY product_id, variant_key LIMIT 1)
        WHEN 'customers' THEN (SELECT true FROM customers
          WHERE store_id = of_store AND id BETWEEN entity::uuid AND entity::uuid ORDER BY id LIMIT 1)
        WHEN 'categories' THEN (SELECT true FROM categories
          WHERE store_id = of_store AND id BETWEEN entity::int AND entity::int ORDER BY id LIMIT 1)
        WHEN 'brands' THEN (SELECT true FROM brands
          WHERE store_id = of_store AND id BETWEEN entity::int AND entity::int ORDER BY id LIMIT 1)
        WHEN 'stock' THEN (SELECT product_id = split_part(entity, '-', 1)::int
            AND variant_key = split_part(entity, '-', 2)::int AND bin_id = split_part(entity, '-', 3)::int
          FROM stock
          WHERE store_id = of_store AND (product_id, variant_key, bin_id)
            >= (split_part(entity, '-', 1)::int, split_part(entity, '-', 2)::int, split_part(entity, '-', 3)::int)
          ORDER BY product_id, variant_key, bin_id LIMIT 1)
        WHEN 'price_lists' THEN (SELECT true FROM price_lists
          WHERE store_id = of_store AND code = entity COLLATE "default" ORDER BY code LIMIT 1)
      END, false) AS shown
      FROM touched
    ), news AS MATERIALIZED (
      -- A resource that no reader of the feed has seen needs no tombstone.
      SELECT * FROM (
        SELECT states.*, (
          SELECT known.ctid FROM changes AS known
          WHERE known.store_id = of_store AND known.kind = states.kind
            AND known.entity BETWEEN states.entity AND states.entity
          ORDER BY known.entity DESC, known.position DESC LIMIT 1) AS former
        FROM states
      ) AS state WHERE shown OR former IS NOT NULL
    ), replaced AS (
      -- The cast to numeric prevents an index: a plan that is made for empty tables would otherwise read the whole
      -- store.
      DELETE FROM changes
      WHERE ctid = ANY (ARRAY(SELECT former FROM news WHERE former IS NOT NULL)) AND store_id = of_store::numeric
    ), numbered AS (
      -- ON CONFLICT is avoided, because it would read all versions of the row.
      INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
      -- @protects position-at-commit
      SELECT of_store, kind, entity, newest + row_number() OVER (ORDER BY last), NOT shown,
        -- At most 50 have the same millisecond: a reader that begins each page at the time of the last row gets on.
        (SELECT greatest(clock_timestamp(), newest_at + interval '1 ms'))
          + (row_number() OVER (ORDER BY last) - 1) / 50 * interval '1 ms'
      FROM news
      RETURNING position
    ), placed AS (
      -- This stores the statement's snapshot: it sees the transactions whose changes are in waiting, and earlier ones,
      -- and no other.
      INSERT INTO feed_snapshots (store_id, branch, position, began_after, snapshot)
      SELECT of_store, (SELECT max(number) FROM change_branches), max(position), newest,
        CASE WHEN is_last THEN pg_current_snapshot() END
      FROM numbered
      WHERE EXISTS (SELECT FROM waiting WHERE kind = 'orders' OR kind = 'products' AND unit IS DISTINCT FROM -1)
      HAVING count(*) > 0
    )
    SELECT CASE WHEN is_last AND NOT is_shared THEN least(count(*), 4999) ELSE 5000 END INTO moved FROM waiting;
  EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
  END;
  RETURN moved;
END $$;

-- Logs a change of each product that shows what has changed, with the units that show it: about 5,000, in the sequence
-- of an index. Returns whether more wait. A product that starts to show it after that point is logged by its own
-- change. The trigger of the change cannot do this: it would miss a product whose transaction is still open, and which
-- then shows the old name.
CREATE FUNCTION spread_shared_changes(of_store int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  room int := 5000;
  shared shared_changes;
  later int[]; -- The next categories that have not begun. They log the products that they share with this one.
  passed int;
  reached text[];
BEGIN
  -- The first of equal ones that have not begun represents all of them, because it starts after their commits.
  DELETE FROM shared_changes WHERE store_id = of_store AND id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY via, entity ORDER BY id) AS place
      FROM (SELECT * FROM shared_changes WHERE store_id = of_store ORDER BY id LIMIT room) AS first WHERE through = '{}'
    ) AS equals WHERE place > 1);
  FOR shared IN SELECT * FROM shared_changes WHERE store_id = of_store ORDER BY id LIMIT room LOOP
    later := CASE shared.via WHEN 'category' THEN ARRAY(
      SELECT entity FROM shared_changes WHERE store_id = of_store AND via = 'category' AND through = '{}' AND id > shared.id
      ORDER BY id LIMIT 20) END;
    -- The query reads a sorted range with a single id, as in number_changes. A bare name in ORDER BY could be that of a
    -- selected text.
    WITH shown AS MATERIALIZED (
      (SELECT 'products'::change_kind AS kind, id::text AS entity, -1 AS unit, ARRAY[id::text] AS key,
        row_number() OVER (ORDER BY brand_id, id) AS place
      FROM products WHERE shared.via = 'brand' AND store_id = of_store
        AND brand_id BETWEEN shared.entity AND shared.entity
        AND (brand_id, id) > (shared.entity, coalesce(shared.through[1]::int, 0))
      ORDER BY products.brand_id, products.id LIMIT room)
      UNION ALL
      (SELECT 'products', product_id::text, -1, ARRAY[created_at::text, product_id::text],
        row_number() OVER (ORDER BY created_at DESC, product_id DESC)
      FROM product_categories WHERE shared.via = 'category' AND store_id = of_store AND category_id = shared.entity
        AND (created_at, product_id) < (coalesce(shared.through[1]::timestamptz, 'infinity'), coalesce(shared.through[2]::int, 0))
      ORDER BY product_categories.created_at DESC, product_categories.product_id DESC LIMIT room)
      UNION ALL
      (SELECT CASE shared.via WHEN 'bin' THEN 'products'::change_kind ELSE 'stock' END,
        CASE shared.via WHEN 'bin' THEN product_id::text ELSE product_id || '-' || variant_key || '-' || bin_id END,
        CASE shared.via WHEN 'bin' THEN variant_key END, ARRAY[product_id, variant_key]::text[],
        row_number() OVER (ORDER BY bin_id, product_id, variant_key)
      FROM stock WHERE shared.via IN ('bin', 'place') AND store_id = of_store
        AND bin_id BETWEEN shared.entity AND shared.entity
        AND (bin_id, product_id, variant_key)
          > (shared.entity, coalesce(shared.through[1]::int, 0), coalesce(shared.through[2]::int, 0))
      ORDER BY stock.bin_id, stock.product_id, stock.variant_key LIMIT room)
      UNION ALL
      (SELECT 'orders', order_id::text, NULL, shared.through[1:2] || ARRAY[transaction::text, id::text],
        row_number() OVER (ORDER BY transaction, id)
      FROM stock_movements WHERE shared.via = 'orders' AND store_id = of_store AND product_id = shared.through[1]::int
        AND variant_key = shared.through[2]::int AND bin_id = shared.entity
        AND (transaction, id) > (coalesce(shared.through[3], '0')::xid8, coalesce(shared.through[4], '0')::bigint)
      ORDER BY stock_movements.transaction, stock_movements.id LIMIT room)
      UNION ALL
      (SELECT 'products', id::text, NULL, ARRAY[id::text], row_number() OVER (ORDER BY id)
      FROM products WHERE shared.via = 'store' AND store_id = of_store AND id > coalesce(shared.through[1]::int, 0)
      ORDER BY products.id LIMIT room)
    ), log AS (
      INSERT INTO change_log (store_id, kind, entity, unit)
      SELECT DISTINCT of_store, kind, entity, unit FROM shown WHERE entity IS NOT NULL AND (later IS NULL OR (
        SELECT true FROM product_categories
        WHERE store_id = of_store AND product_id = shown.entity::int AND category_id = ANY (later) LIMIT 1) IS NULL)
    ), orders_of_places AS (
      INSERT INTO shared_changes (store_id, via, entity, through)
      SELECT of_store, 'orders', shared.entity, key FROM shown WHERE shared.via = 'place'
    )
    SELECT count(*), (SELECT key FROM shown ORDER BY place DESC LIMIT 1) INTO passed, reached FROM shown;
    IF passed < room THEN
      DELETE FROM shared_changes WHERE store_id = of_store AND id = shared.id;
    ELSE
      UPDATE shared_changes SET through = reached WHERE store_id = of_store AND id = shared.id;
    END IF;
    room := room - greatest(passed, 1);
    EXIT WHEN room = 0;
  END LOOP;
  RETURN EXISTS (SELECT FROM shared_changes WHERE store_id = of_store);
END $$;

-- The worker moves the mark past the rows that are gone, and never waits. It must know that no open transaction can
-- still add a change up to `through`.
CREATE FUNCTION pass_change_log(through bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mark bigint := coalesce((SELECT passed FROM change_log_mark WHERE single), 0);
  oldest bigint;
BEGIN
  SELECT min(waiting.id) INTO oldest FROM stores CROSS JOIN LATERAL (
    SELECT id FROM change_log WHERE store_id = stores.id AND id > mark ORDER BY id LIMIT 1) AS waiting;
  INSERT INTO change_log_mark (passed) VALUES (least(through, oldest - 1))
  ON CONFLICT (single) DO UPDATE SET passed = greatest(change_log_mark.passed, excluded.passed);
END $$;

-- The triggers below define which writes change which resource. A row that an UPDATE leaves unchanged is not a change.

SELECT pg_temp.after_each_statement('log', kind, '{insert,delete}', format($$
  INSERT INTO change_log (store_id, kind, entity) SELECT store_id, %L::change_kind, id::text FROM changed$$, kind))
FROM unnest('{customers,categories,brands,products}'::text[]) AS kind;
SELECT pg_temp.after_each_statement('log_updated', kind, '{update}', format($$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT store_id, %L::change_kind, id::text FROM (TABLE changed EXCEPT TABLE removed) AS updated$$, kind))
FROM unnest('{customers,categories,brands}'::text[]) AS kind;

-- A product shows its brand and its categories in sequence, so their names matter.
CREATE FUNCTION log_products_that_show() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shared_changes (store_id, via, entity) VALUES (NEW.store_id, TG_ARGV[0], NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER categories_log_their_products AFTER UPDATE ON categories FOR EACH ROW
  -- @protects category-place
  WHEN (OLD.name <> NEW.name OR OLD.slug <> NEW.slug OR OLD.display_order <> NEW.display_order)
  EXECUTE FUNCTION log_products_that_show('category');
CREATE TRIGGER brands_log_their_products AFTER UPDATE ON brands FOR EACH ROW
  WHEN (OLD.name <> NEW.name OR OLD.slug <> NEW.slug) EXECUTE FUNCTION log_products_that_show('brand');

SELECT pg_temp.after_each_statement('log', 'orders', '{insert,delete}', $$
  INSERT INTO change_log (store_id, kind, entity) SELECT store_id, 'orders'::change_kind, id::text FROM changed$$);
SELECT pg_temp.after_each_statement('log_updated', 'orders', '{update}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT store_id, 'orders'::change_kind, id::text FROM (TABLE changed EXCEPT TABLE removed) AS updated$$);

-- The parts of an order are inserted in the transaction of the order.
SELECT pg_temp.after_each_statement('log', part, '{delete}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT DISTINCT store_id, 'orders'::change_kind, order_id::text FROM changed$$)
FROM unnest('{order_lines,order_stages}'::text[]) AS part;
SELECT pg_temp.after_each_statement('log_updated', part, '{update}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT DISTINCT store_id, 'orders'::change_kind, order_id::text FROM (TABLE changed EXCEPT TABLE removed) AS updated$$)
FROM unnest('{order_lines,fraud_assessments}'::text[]) AS part;

-- The trigger runs for each row, because each attempt updates one stage. Claiming a stage changes nothing that the API
-- shows. The list of columns costs nothing, whereas PostgreSQL would parse the text of a WHEN condition for each
-- statement.
CREATE FUNCTION log_order_of_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW IS DISTINCT FROM OLD THEN
    INSERT INTO change_log (store_id, kind, entity) VALUES (NEW.store_id, 'orders', NEW.order_id::text);
  END IF;
  RETURN NULL;
END $$;
SELECT pg_temp.for_each_table('{shipments,returned_units,cancelled_units,payments,refunds}', $$
  CREATE TRIGGER %1$s_are_logged AFTER INSERT OR UPDATE ON %1$s FOR EACH ROW EXECUTE FUNCTION log_order_of_part()$$);
CREATE TRIGGER shipment_items_stay_logged AFTER UPDATE ON shipment_items
  FOR EACH ROW EXECUTE FUNCTION log_order_of_part();
CREATE TRIGGER order_stages_stay_logged AFTER UPDATE OF stage, reference, state, attempts, last_error, outcome, updated_at
  ON order_stages FOR EACH ROW EXECUTE FUNCTION log_order_of_part();

-- An order that sells the last unit of a product updates in_stock, which no unit shows. A FULL JOIN is never a nested
-- loop: the plan is made for the first statement of a session, and a later one may update the whole catalog. A price is
-- shown with the product and its unit, but with no bin.
SELECT pg_temp.after_each_statement('log_updated', 'products', '{update}', $$
  INSERT INTO change_log (store_id, kind, entity, unit)
  SELECT store_id, logged.kind, logged.entity, logged.unit
  FROM changed FULL JOIN removed USING (store_id, id)
  CROSS JOIN LATERAL (
    SELECT 'products'::change_kind AS kind, id::text AS entity, CASE
      WHEN (changed.name, changed.slug, changed.status) IS DISTINCT FROM (removed.name, removed.slug, removed.status) THEN NULL
      WHEN changed.sku IS DISTINCT FROM removed.sku THEN 0
      ELSE -1 END AS unit
    UNION ALL
    SELECT 'skus', id::text, NULL WHERE changed.price IS DISTINCT FROM removed.price
    UNION ALL
    -- Variants without a price have the price of their product.
    SELECT 'skus', changed.id || '-' || variant.id, NULL FROM product_variants AS variant
    WHERE changed.price IS DISTINCT FROM removed.price
      AND variant.store_id = changed.store_id AND variant.product_id = changed.id AND variant.price IS NULL
  ) AS logged
  WHERE changed IS DISTINCT FROM removed$$);

-- A variant that starts or stops being for sale can replace the product itself. A unit shows neither the variant's name
-- nor its position.
SELECT pg_temp.after_each_statement('log', 'product_variants', '{insert,delete}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT DISTINCT store_id, 'products'::change_kind, product_id::text FROM changed$$);
SELECT pg_temp.after_each_statement('log_updated', 'product_variants', '{update}', $$
  INSERT INTO change_log (store_id, kind, entity, unit)
  SELECT DISTINCT store_id, logged.kind, logged.entity, logged.unit
  FROM changed FULL JOIN removed USING (store_id, product_id, id)
  CROSS JOIN LATERAL (
    SELECT 'products'::change_kind AS kind, product_id::text AS entity, CASE
      WHEN changed.status IS DISTINCT FROM removed.status THEN NULL
      WHEN changed.sku IS DISTINCT FROM removed.sku THEN id
      ELSE -1 END AS unit
    UNION ALL
    -- @protects attribute-order
    SELECT 'skus', product_id || '-' || id, NULL WHERE (changed.price, changed.attributes, changed.attribute_names)
      IS DISTINCT FROM (removed.price, removed.attributes, removed.attribute_names)
  ) AS logged
  WHERE changed IS DISTINCT FROM removed$$);

SELECT pg_temp.after_each_statement('log', 'product_categories', '{insert,delete}', $$
  INSERT INTO change_log (store_id, kind, entity, unit)
  SELECT DISTINCT store_id, 'products'::change_kind, product_id::text, -1 FROM changed$$);
SELECT pg_temp.after_each_statement('log_updated', 'product_categories', '{update}', $$
  INSERT INTO change_log (store_id, kind, entity, unit)
  SELECT DISTINCT store_id, 'products'::change_kind, product_id::text, -1
  FROM ((TABLE changed EXCEPT TABLE removed) UNION ALL (TABLE removed EXCEPT TABLE changed)) AS moved$$);

SELECT pg_temp.after_each_statement('log', 'stock', '{insert,delete}', $$
  INSERT INTO change_log (store_id, kind, entity, unit)
  SELECT DISTINCT store_id, 'products'::change_kind, product_id::text, variant_key FROM changed$$);
SELECT pg_temp.after_each_statement('log_updated', 'stock', '{update}', $$
  INSERT INTO change_log (store_id, kind, entity, unit)
  SELECT DISTINCT store_id, 'products'::change_kind, product_id::text, variant_key
  FROM (TABLE changed EXCEPT TABLE removed) AS updated$$);

-- A list changes with its prices and rules: a reader then reads them again. The rules of the catalog are in no record.
SELECT pg_temp.after_each_statement('log', 'price_lists', '{insert,delete}', $$
  INSERT INTO change_log (store_id, kind, entity) SELECT store_id, 'price_lists'::change_kind, code FROM changed$$);
SELECT pg_temp.after_each_statement('log_updated', 'price_lists', '{update}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT store_id, 'price_lists'::change_kind, code FROM (TABLE changed EXCEPT TABLE removed) AS updated$$);
SELECT pg_temp.after_each_statement('log', part, '{insert,delete}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT DISTINCT store_id, 'price_lists'::change_kind, list FROM changed WHERE list <> ''$$)
FROM unnest('{list_prices,quantity_rules}'::text[]) AS part;
SELECT pg_temp.after_each_statement('log_updated', part, '{update}', $$
  INSERT INTO change_log (store_id, kind, entity)
  SELECT DISTINCT store_id, 'price_lists'::change_kind, list FROM (TABLE changed EXCEPT TABLE removed) AS updated
  WHERE list <> ''$$)
FROM unnest('{list_prices,quantity_rules}'::text[]) AS part;

-- The quantity of a product counts the bins of active warehouses.
CREATE FUNCTION log_products_of_warehouse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shared_changes (store_id, via, entity)
  SELECT NEW.store_id, TG_ARGV[0], id FROM bins WHERE store_id = NEW.store_id AND warehouse_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER warehouses_log_their_products AFTER UPDATE OF active ON warehouses
  FOR EACH ROW WHEN (OLD.active <> NEW.active) EXECUTE FUNCTION log_products_of_warehouse('bin');

CREATE TRIGGER bins_log_their_products AFTER UPDATE OF warehouse_id ON bins
  FOR EACH ROW WHEN (OLD.warehouse_id <> NEW.warehouse_id) EXECUTE FUNCTION log_products_that_show('bin');

-- A row of the stock and an order show the bins of their units.
CREATE TRIGGER warehouses_log_their_orders AFTER UPDATE OF code ON warehouses
  FOR EACH ROW WHEN (OLD.code <> NEW.code) EXECUTE FUNCTION log_products_of_warehouse('place');
CREATE TRIGGER bins_log_their_orders AFTER UPDATE OF warehouse_id, code ON bins
  FOR EACH ROW WHEN (OLD.warehouse_id <> NEW.warehouse_id OR OLD.code <> NEW.code)
  EXECUTE FUNCTION log_products_that_show('place');

-- A decimal price has as many decimals as the currency, and a price list shows it.
CREATE FUNCTION log_products_of_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change_log (store_id, kind, entity)
  SELECT store_id, 'price_lists', code FROM price_lists WHERE store_id = NEW.id;
  INSERT INTO shared_changes (store_id, via, entity) VALUES (NEW.id, 'store', NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER stores_log_their_products AFTER UPDATE OF currency ON stores
  FOR EACH ROW WHEN (OLD.currency <> NEW.currency) EXECUTE FUNCTION log_products_of_store();
