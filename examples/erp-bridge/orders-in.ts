import { join } from 'node:path';
import { type NewOrder, orderLine, type Outcome, placeOnce, type Sku, type StoreClient } from '@store-commerce/client';
import type { Row } from './csv-files.js';
import { workOff } from './inbox.js';

const REQUIRED = ['external_reference', 'sku', 'quantity', 'customer_name'];
const RESULT = ['external_reference', 'result', 'order_id', 'receipt_number', 'code', 'reason'];

/** What a round has done with the orders of `orders-in`. A file that cannot be read counts as one refusal. */
export interface Placements {
  readonly placed: number;
  readonly refused: number;
}

/** Places the orders of each file in `orders-in` that has no file in `results` yet. */
export async function placeOrders(client: StoreClient, folder: string, units: readonly Sku[]): Promise<Placements> {
  const outcomes = await workOff<[string, Outcome]>(
    { files: join(folder, 'orders-in'), results: join(folder, 'results'), required: REQUIRED, heading: RESULT },
    (rows) => placeRows(client, rows, units),
    (reason) => ['', refused('unreadable_file', reason)],
    resultOf,
  );
  const placed = outcomes.filter(([, { result }]) => result === 'placed').length;
  return { placed, refused: outcomes.length - placed };
}

/**
 * Returns the result of each order. A kill before they are written is harmless, because the references find the orders.
 */
async function placeRows(
  client: StoreClient,
  rows: readonly Row[],
  units: readonly Sku[],
): Promise<[string, Outcome][]> {
  const orders = new Map<string, Row[]>();
  for (const row of rows) {
    const reference = row['external_reference'] ?? '';
    orders.set(reference, [...(orders.get(reference) ?? []), row]);
  }
  const outcomes: [string, Outcome][] = [];
  for (const [reference, lines] of orders) outcomes.push([reference, await place(client, reference, lines, units)]);
  return outcomes;
}

/**
 * Places an order: rows with the same reference are its lines, and the first one has the buyer. The service checks all
 * values.
 */
async function place(
  client: StoreClient,
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
  const [{ customer_name = '', customer_email, customer_phone, payment_method, notes, ...place } = {}] = rows;
  const { address, city, zip, region, country } = place;
  return placeOnce(client, {
    external_reference: reference,
    items,
    customer: {
      name: customer_name,
      email: customer_email,
      phone: customer_phone,
      address,
      city,
      zip,
      region,
      country,
    },
    payment_method: (payment_method || undefined) as NewOrder['payment_method'],
    notes,
  });
}

function refused(code: string, reason: string): Outcome {
  return { result: 'refused', code, reason };
}

function resultOf([reference, outcome]: [string, Outcome]): string[] {
  return outcome.result === 'placed'
    ? [reference, 'placed', outcome.orderId, outcome.receiptNumber, '', '']
    : [reference, 'refused', '', '', outcome.code, outcome.reason];
}
