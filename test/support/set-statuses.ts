import type { TestDatabase } from './test-database.js';

/** Sets statuses of an order in the database, with the events that it demands. */
export async function setStatuses(
  database: TestDatabase,
  orderId: string,
  { status = null, fulfillment = null }: { status?: string | null; fulfillment?: string | null },
): Promise<void> {
  // The second part of the statement reads the order as it was before.
  await database.query(
    `WITH moved AS (
       UPDATE orders SET status = coalesce($2, status), fulfillment_status = coalesce($3, fulfillment_status)
       WHERE id = $1 RETURNING id
     )
     INSERT INTO order_events (store_id, order_id, actor_type, event, field, from_value, to_value)
     SELECT store_id, id, 'operator', 'status_changed', field, from_value, to_value
     FROM moved JOIN orders USING (id), LATERAL (VALUES
       ('status', status, $2), ('fulfillment_status', fulfillment_status, $3)) AS change (field, from_value, to_value)
     WHERE to_value IS NOT NULL`,
    [orderId, status, fulfillment],
  );
}
