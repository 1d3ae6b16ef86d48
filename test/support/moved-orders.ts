interface Statuses {
  readonly status?: string;
  readonly fulfillment_status?: string;
}

/** SQL that moves orders, with the events that the database demands, to statuses that no client can reach so fast. */
export function movedOrders(statuses: Statuses, condition: string): string {
  const moves = Object.entries(statuses) as [keyof Statuses, string][];
  const events = moves.map(([field, to]) => `('${field}', before.${field}::text, '${to}')`);
  const set = moves.map(([field, to]) => `${field} = '${to}'`);
  return `
    WITH before AS (SELECT * FROM orders WHERE ${condition} FOR NO KEY UPDATE), events AS (
      INSERT INTO order_events (store_id, order_id, actor_type, event, field, from_value, to_value)
      SELECT store_id, id, 'system', 'status_changed', move.field, move.from_value, move.to_value
      FROM before CROSS JOIN LATERAL (VALUES ${events.join()}) AS move (field, from_value, to_value)
    )
    UPDATE orders SET ${set.join()} FROM before WHERE orders.store_id = before.store_id AND orders.id = before.id`;
}
