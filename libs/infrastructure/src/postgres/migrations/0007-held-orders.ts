import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orders under review are found, counted and screened again by why they are held, however many orders there are. */
export class HeldOrders1764000000007 implements MigrationInterface {
  name = 'HeldOrders1764000000007';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [REASONS, BACKFILL]) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

// Partial: it holds what waits for a review and nothing else. By order id, which begins with the time.
const REASONS = `
ALTER TABLE order_stages ADD COLUMN held_for text[];
COMMENT ON COLUMN order_stages.held_for IS
  'The fraud rules for which the stage is held, or was; of a held stage, null means that they are in fraud_assessments only.';
CREATE INDEX order_stages_held ON order_stages (held_for, order_id, store_id) WHERE state = 'held';
`;

const BACKFILL = `
UPDATE order_stages SET held_for = ARRAY(
  SELECT reason ->> 'rule' FROM fraud_assessments, jsonb_array_elements(reasons) WITH ORDINALITY AS listed (reason, place)
  WHERE fraud_assessments.store_id = order_stages.store_id AND fraud_assessments.order_id = order_stages.order_id
  ORDER BY place)
WHERE state = 'held' AND held_for IS NULL;
`;
