import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from '../../support/test-database.js';
import { ask } from '../support/ask.js';
import { orderOf } from '../driver/order-of.js';
import type { Item } from '../driver/job.js';
import type { Side } from './rounds.js';
import type { Work } from './works.js';

const SAMPLES = 8;

export interface Comparison {
  readonly work: Work;
  readonly service: Side;
  readonly reference: Side;
  readonly random: (below: number) => number;
}

/** @throws Error unless both sides give equal answers to a sample of the work's requests. */
export async function compare(comparison: Comparison, database: TestDatabase): Promise<void> {
  const requests = comparison.work.requests(comparison.service.shop);
  if (requests.kind === 'reads') await compareReads(comparison, requests.paths);
  else await compareOrders(comparison, database);
}

async function compareReads({ work, service, reference, random }: Comparison, paths: readonly string[]): Promise<void> {
  const samples = [paths[0], paths.at(-1), ...Array.from({ length: SAMPLES }, () => paths[random(paths.length)])];
  for (const path of new Set(samples as string[])) {
    const [one, other] = [await askSide(service, path), await askSide(reference, path)];
    if (!isDeepStrictEqual(one, other)) {
      throw new Error(
        `${work.name}: ${path} is answered\n${JSON.stringify(one)}\nby the service, and\n` +
          `${JSON.stringify(other)}\nby the reference`,
      );
    }
  }
}

interface Created {
  readonly order_id: string;
  readonly receipt_number: string;
  readonly total: number;
  readonly items: readonly { readonly productId: string }[];
}

/** The same order in two equal stores: only the ids may differ. */
async function compareOrders({ work, service, reference, random }: Comparison, database: TestDatabase): Promise<void> {
  for (let n = 0; n < SAMPLES; n++) {
    const choices = Array.from({ length: 16 }, () => random(2 ** 30));
    const answers: unknown[] = [];
    for (const side of [service, reference]) {
      const orders = work.requests(side.shop);
      if (orders.kind !== 'orders') throw new Error(`${work.name} is not about orders`);
      let next = 0;
      const body = orderOf(
        orders,
        `compare-${work.name.length}`,
        random(2 ** 30),
        (below) => (choices[next++] ?? 0) % below,
      );
      const created = (await askSide(side, '/v1/orders', body)).data as Created;
      await assertPlaced(database, side, created, body.items);
      const items = created.items.map((item, line) => ({
        ...item,
        productId: item.productId === String(body.items[line]?.product_id),
      }));
      const { order_id, receipt_number } = created;
      answers.push({ ...created, order_id: order_id.length, receipt_number: receipt_number.length, items });
    }
    if (!isDeepStrictEqual(answers[0], answers[1])) {
      throw new Error(
        `${work.name}: one order has two answers: ${answers.map((answer) => JSON.stringify(answer)).join('\n')}`,
      );
    }
  }
}

async function assertPlaced(
  database: TestDatabase,
  { shop }: Side,
  { order_id, receipt_number, total }: Created,
  items: readonly (Item & { readonly quantity: number })[],
): Promise<void> {
  const [row] = await database.query<{ receipt_number: string; total: number; units: number; lines: number }>(
    `SELECT receipt_number, total_amount / 100.0::float8 AS total, sum(quantity)::int AS units, count(*)::int AS lines
     FROM orders JOIN order_lines line ON line.store_id = orders.store_id AND line.order_id = orders.id
     WHERE orders.store_id = $1 AND orders.id = $2 GROUP BY orders.store_id, orders.id`,
    [shop.id, order_id],
  );
  const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (!isDeepStrictEqual({ ...row }, { receipt_number, total, units, lines: items.length })) {
    throw new Error(`The order ${order_id} differs from its answer: ${JSON.stringify(row)}`);
  }
}

async function askSide({ url, shop }: Side, path: string, body?: object): Promise<{ readonly data?: unknown }> {
  return JSON.parse(await ask(url + path, { key: shop.key, body })) as { data?: unknown };
}
