import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'openapi-fetch';
import type { paths } from '../typescript-client/api.js';
import { orderLine, placeOnce, type Outcome, type Sku } from '../typescript-client/erp.js';
import type { NewOrder } from '../typescript-client/store.js';
import { fromCsv, replaceFile, toCsv, type Row } from './csv-files.js';

const RESULT = ['external_reference', 'result', 'order_id', 'receipt_number', 'code', 'reason'];

/** Places the orders of each file in `orders-in` that has no file in `results` yet. */
export async function placeOrders(client: Client<paths>, folder: string, units: readonly Sku[]): Promise<void> {
  const [inbox, results] = [join(folder, 'orders-in'), join(folder, 'results')];
  for (const path of [inbox, results]) await mkdir(path, { recursive: true });
  const done = new Set(await readdir(results));
  for (const name of (await readdir(inbox)).sort()) {
    if (!name.endsWith('.csv') || done.has(name)) continue;
    const rows = await placeFile(client, await readFile(join(inbox, name), 'utf8'), units);
    await replaceFile(join(results, name), toCsv([RESULT, ...rows]));
  }
}

/** Returns a row of results for each order. A kill before they are written is harmless: the references find the orders. */
async function placeFile(client: Client<paths>, text: string, units: readonly Sku[]): Promise<string[][]> {
  const orders = new Map<string, Row[]>();
  try {
    for (const row of fromCsv(text)) {
      const reference = row['external_reference'] ?? '';
      orders.set(reference, [...(orders.get(reference) ?? []), row]);
    }
  } catch (error) {
    return [resultOf('', refused('unreadable_file', (error as Error).message))];
  }
  const results = [];
  for (const [reference, rows] of orders)
    results.push(resultOf(reference, await place(client, reference, rows, units)));
  return results;
}

/** Rows with one reference are the lines of one order. The first row has the buyer. The service checks all values. */
async function place(
  client: Client<paths>,
  reference: string,
  rows: readonly Row[],
  units: readonly Sku[],
): Promise<Outcome> {
  if (reference === '') return refused('no_reference', 'a row has no external_reference');
  const items = [];
  for (const { sku = '', quantity = '' } of rows) {
    const [unit, other] = units.filter((candidate) => candidate.sku === sku);
    if (!unit || other)
      return refused('unknown_sku', `${unit ? 'several units have' : 'no unit has'} the SKU "${sku}"`);
    items.push(orderLine(unit, /^\d+$/.test(quantity) ? Number(quantity) : 0));
  }
  const [{ customer_name = '', customer_email, customer_phone, address, city, zip, payment_method, notes } = {}] = rows;
  return placeOnce(client, {
    external_reference: reference,
    items,
    customer: { name: customer_name, email: customer_email, phone: customer_phone, address, city, zip },
    payment_method: (payment_method || undefined) as NewOrder['payment_method'],
    notes,
  });
}

function refused(code: string, reason: string): Outcome {
  return { result: 'refused', code, reason };
}

function resultOf(reference: string, outcome: Outcome): string[] {
  return outcome.result === 'placed'
    ? [reference, 'placed', outcome.orderId, outcome.receiptNumber, '', '']
    : [reference, 'refused', '', '', outcome.code, outcome.reason];
}
