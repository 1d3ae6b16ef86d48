import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What keeps the service as fast when its tables grow: an index for every combination of the order list's filters, small
 * indexes of the stages that somebody waits for and of the rows that expire, and totals whose cost does not depend on what
 * a long snapshot keeps from being vacuumed.
 */
export class Growth1764000000008 implements MigrationInterface {
  name = 'Growth1764000000008';

  async up(runner: QueryRunner): Promise<void> {
    // What takes long comes first: from STAGES on, reads of an order wait, and from MARK on those of a list.
    for (const statement of [ORDER_LABELS, EXPIRING, STAGES, MARK, FOLD, FOLD_BY_WRITERS, FOLD_THROUGH])
      await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

// Two filters that are common apart may be rare together: then an index of one of them leads through most of the store.
const ORDER_LABELS = `
CREATE INDEX orders_by_source_status ON orders (store_id, source, status, created_at DESC, id DESC);
CREATE INDEX orders_by_source_fulfillment ON orders (store_id, source, fulfillment_status, created_at DESC, id DESC);
CREATE INDEX orders_by_statuses ON orders (store_id, status, fulfillment_status, created_at DESC, id DESC);
CREATE INDEX orders_by_all_labels ON orders (store_id, source, status, fulfillment_status, created_at DESC, id DESC);
`;

// The oldest stage to queue is the pipeline's lag. A confirmation whose order was cancelled is no dead letter.
const STAGES = `
DROP INDEX order_stages_to_queue;
CREATE INDEX order_stages_to_queue ON order_stages (updated_at) WHERE state = 'pending' AND NOT queued;
DROP INDEX order_stages_dead;
CREATE INDEX order_stages_dead ON order_stages (store_id, order_id)
  WHERE state = 'dead' AND last_error <> 'OrderCancelled';
`;

const EXPIRING = `
CREATE INDEX fraud_assessments_rejected ON fraud_assessments (created_at) WHERE verdict = 'REJECT';
CREATE INDEX api_key_usage_by_day ON api_key_usage (day);
`;

// Deleted changes stay in the table, and in its index, as long as any snapshot is open that may see them: a backup of an
// hour keeps an hour of them. A read begins behind the mark and does not meet them.
const MARK = `
CREATE TABLE list_tally_mark (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  folded_through bigint NOT NULL
);
COMMENT ON TABLE list_tally_mark IS
  'One row, or none: every change of list_tally_changes up to this id is in list_tallies, and no more of them can come.';

CREATE FUNCTION list_tally_mark() RETURNS bigint LANGUAGE sql STABLE
RETURN coalesce((SELECT folded_through FROM list_tally_mark), 0);

CREATE OR REPLACE VIEW list_counts AS
SELECT store_id, list, grain, period, labels, rows FROM list_tallies
UNION ALL
SELECT store_id, list, part.grain, part.period, labels, rows
FROM list_tally_changes AS change
CROSS JOIN LATERAL (VALUES
  ('all', '-infinity'::date),
  ('month', date_trunc('month', change.period)::date),
  ('day', change.period)
) AS part (grain, period)
WHERE change.id > coalesce((SELECT folded_through FROM list_tally_mark), 0)
  AND (part.grain = 'all' OR change.period > '-infinity');
`;

// The caller has the lock of the store.
const FOLD = `
CREATE FUNCTION fold_list_tally_changes_of(store int, through bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH folded AS (
    DELETE FROM list_tally_changes
    WHERE store_id = store AND id > list_tally_mark() AND id <= through
    RETURNING list, period, labels, rows
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
END $$;
`;

const FOLD_BY_WRITERS = `
CREATE OR REPLACE FUNCTION fold_list_tally_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  store int;
BEGIN
  FOR store IN SELECT store_id FROM added GROUP BY store_id HAVING count(*) > 64 * random() LOOP
    CONTINUE WHEN current_setting('transaction_isolation') <> 'read committed'
      OR NOT pg_try_advisory_xact_lock(hashtext('list_tally_changes'), store);
    PERFORM fold_list_tally_changes_of(store, 9223372036854775807);
  END LOOP;
  RETURN NULL;
END $$;
`;

// Nobody waits for this but the worker that calls it, and not for long.
const FOLD_THROUGH = `
CREATE FUNCTION fold_list_tally_changes_through(through bigint) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
DECLARE
  store int;
BEGIN
  FOR store IN
    SELECT id FROM stores
    WHERE EXISTS (
      SELECT FROM list_tally_changes AS change
      WHERE change.store_id = stores.id AND change.id > list_tally_mark() AND change.id <= through)
    ORDER BY id
  LOOP
    PERFORM pg_advisory_xact_lock(hashtext('list_tally_changes'), store);
    PERFORM fold_list_tally_changes_of(store, through);
  END LOOP;
  INSERT INTO list_tally_mark (folded_through) VALUES (through)
  ON CONFLICT (single) DO UPDATE SET folded_through = greatest(list_tally_mark.folded_through, excluded.folded_through);
END $$;
COMMENT ON FUNCTION fold_list_tally_changes_through IS
  'Only for a caller that knows that no transaction is under way which may still add a change with such an id.';
`;
