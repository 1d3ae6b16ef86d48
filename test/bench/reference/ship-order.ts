import { findOrder } from './orders.js';
import { pool, type Store } from './query.js';

const INSERT_SHIPMENT = `
  INSERT INTO shipments (store_id, order_id, reference, status, carrier, tracking_number, tracking_url, shipped_at)
  VALUES ($1, $2, $3, 'shipped', $4, $5, '', now())`;

const INSERT_ITEMS = `
  INSERT INTO shipment_items (store_id, order_id, reference, position, quantity)
  SELECT $1, $2, $3, line - 1, quantity FROM unnest($4::int[], $5::int[]) AS item (line, quantity)`;

const UPDATE_ORDER = `
  UPDATE orders SET updated_at = now(), fulfillment_status = CASE
    WHEN (SELECT sum(quantity) FROM shipment_items WHERE store_id = $1 AND order_id = $2)
      >= (SELECT sum(quantity) FROM order_lines WHERE store_id = $1 AND order_id = $2) THEN 'SHIPPED'
    ELSE 'PROCESSING' END
  WHERE store_id = $1 AND id = $2`;

export interface ShipmentRequest {
  readonly reference: string;
  readonly items: readonly { readonly line: number; readonly quantity: number }[];
  readonly carrier: string;
  readonly tracking_number: string;
}

/** Six statements: begin, shipment, items, order, commit, and the order as it is then. */
export async function shipOrder(store: Store, id: string, request: ShipmentRequest) {
  const { reference, items, carrier, tracking_number } = request;
  const key = [store.id, id, reference];
  const what = [items.map(({ line }) => line), items.map(({ quantity }) => quantity)];
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const values = [...key, carrier, tracking_number];
    await client.query({ name: 'insert-shipment', text: INSERT_SHIPMENT, values });
    await client.query({ name: 'insert-items', text: INSERT_ITEMS, values: [...key, ...what] });
    await client.query({ name: 'update-order', text: UPDATE_ORDER, values: [store.id, id] });
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
  return findOrder(store, id);
}
