import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A stage waits in its own row until a worker queues it. To queue it in the order's transaction took a third of the
 * whole order, and the queue's NOTIFY made all commits wait for each other.
 */
export class StageOutbox1764000000004 implements MigrationInterface {
  name = 'StageOutbox1764000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OUTBOX);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

// What is pending now was queued with its order.
const OUTBOX = `
ALTER TABLE order_stages ADD COLUMN queued boolean NOT NULL DEFAULT true;
ALTER TABLE order_stages ALTER COLUMN queued SET DEFAULT false;
COMMENT ON COLUMN order_stages.queued IS 'Whether a worker has put the pending stage into the queue.';
CREATE INDEX order_stages_to_queue ON order_stages (store_id, order_id) WHERE state = 'pending' AND NOT queued;
`;
