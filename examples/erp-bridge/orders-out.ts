import { join } from 'node:path';
import { changes, type FullOrder, type StoreClient } from '@store-commerce/client';
import { fromCsv, readText, replaceFile, toCsv } from './csv-files.js';

/** The columns that never change in an order, followed by those of the line. */
const COLUMNS =
  'order_id,receipt_number,external_reference,created_at,is_test,source,payment_method,currency,total_amount,' +
  'customer_name,customer_email,customer_phone,address,city,zip,region,country,notes,' +
  'line,sku,product_id,variant_id,name,quantity,unit_price,line_total';
const HEADER = toCsv([COLUMNS.split(',')]);

/** A kill repeats at most the pages of this many orders. */
const ORDERS_PER_WRITE = 1_000;

/** Adds the orders that `orders.csv` does not have, and returns their number. The file is the record of what was read. */
export async function writeNewOrders(client: StoreClient, folder: string): Promise<number> {
  const [file, cursorFile] = [join(folder, 'orders.csv'), join(folder, 'orders.cursor')];
  const stored = await readText(file);
  let text = stored ?? HEADER;
  if (!text.startsWith(HEADER)) throw new Error(`${file} has other columns`);

  const known = new Set(fromCsv(text).map((row) => row['order_id'] ?? ''));
  const before = known.size;
  // Without the earlier orders, the cursor would hide them.
  const cursor = (stored !== null && (await readText(cursorFile))) || undefined;
  let added = 0;
  for await (const page of changes(client, 'orders', { cursor })) {
    for (const { data: order } of page.data) {
      if (!order || known.has(order.id)) continue;
      known.add(order.id);
      text += toCsv(rowsOf(order));
      added += 1;
    }
    if (page.has_more && added < ORDERS_PER_WRITE) continue;
    // The cursor is written last: a kill between the two files repeats pages, and loses no order.
    if (added > 0 || stored === null) await replaceFile(file, text);
    if (page.cursor !== cursor) await replaceFile(cursorFile, page.cursor);
    added = 0;
  }
  return known.size - before;
}

/** Returns a row for each line, and one for an imported order without lines. */
function rowsOf(order: FullOrder) {
  const { customer, shipping_address: to } = order;
  const place = [to.address, to.city, to.zip, to.region, to.country];
  const written = [customer.name, customer.email, customer.phone, ...place, order.notes];
  const shared = [
    ...[order.id, order.receipt_number, order.external_reference, order.created_at, order.is_test, order.source],
    ...[order.payment_method, order.currency, order.total_amount, ...written],
  ];
  if (order.line_items.length === 0) return [[...shared, '', '', '', '', '', '', '', '']];
  return order.line_items.map((line, index) => [
    ...shared,
    ...[index + 1, line.sku, line.product_id, line.variant_id, line.name, line.quantity],
    ...[line.unit_price, line.line_total],
  ]);
}
