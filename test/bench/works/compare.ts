import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from '../../support/test-database.js';
import { ask } from '../support/ask.js';
import { orderOf } from '../driver/order-of.js';
import type { Item } from '../driver/job.js';
import { SIDES, type Side, type Sides } from './rounds.js';
import type { Work } from './works.js';

const SAMPLES = 8;

export interface Comparison {
  readonly work: Work;
  readonly sides: Sides;
  readonly random: (below: number) => number;
}

/** @throws Error unless all sides give equal answers to a sample of the work's requests. */
export async function compare(comparison: Comparison, database: TestDatabase): Promise<void> {
  const requests = comparison.work.requests(comparison.sides.service.shop);
  if (requests.kind === 'reads') await compareReads(comparison, requests.paths);
  else await compareOrders(comparison, database);
}

async function compareReads({ work, sides, random }: Comparison, paths: readonly string[]): Promise<void> {
  const samples = [paths[0], paths.at(-1), ...Array.from({ length: SAMPLES }, () => paths[random(paths.length)])];
  for (const path of new Set(samples as string[])) {
    const answers: unknown[] = [];
    for (const name of SIDES) answers.push(await askSide(sides[name], path));
    assertEqual(answers, `${work.name}: ${path}`);
  }
}

interface Created {
  readonly order_id: string;
  readonly receipt_number: string;
  readonly total: number;
  readonly items: readonly { readonly productId: string }[];
}

/** The same order in equal stores: only the ids may differ. */
async function compareOrders({ work, sides, random }: Comparison, database: TestDatabase): Promise<void> {
  for (let n = 0; n < SAMPLES; n++) {
    const choices = Array.from({ length: 16 }, () => random(2 ** 30));
    const answers: unknown[] = [];
    for (const name of SIDES) {
      const side = sides[name];
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
    assertEqual(answers, `${work.name}: one order`);
  }
}

async function assertPlaced(
  database: TestDatabase,
  { shop, schema }: Side,
  { order_id, receipt_number, total }: Created,
  items: readonly (Item & { readonly quantity: number })[],
): Promise<void> {
  const [row] = await database.query<{ receipt_number: string; total: number; units: number; lines: number }>(
    `SELECT receipt_number, total_amount / 100.0::float8 AS total, sum(quantity)::int AS units, count(*)::int AS lines
     FROM ${schema}.orders JOIN ${schema}.order_lines line ON line.store_id = orders.store_id AND line.order_id = orders.id
     WHERE orders.store_id = $1 AND orders.id = $2 GROUP BY orders.store_id, orders.id`,
    [shop.id, order_id],
  );
  const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (!isDeepStrictEqual({ ...row }, { receipt_number, total, units, lines: items.length })) {
    throw new Error(`The order ${order_id} differs from its answer: ${JSON.stringify(row)}`);
  }
}

function assertEqual(answers: readonly unknown[], what: string): void {
  if (answers.every((answer) => isDeepStrictEqual(answer, answers[0]))) return;
  const texts = answers.map((answer, n) => `${SIDES[n]}: ${JSON.stringify(answer)}`);
  throw new Error(`${what} has different answers:\n${texts.join('\n')}`);
}

async function askSide({ url, shop }: Side, path: string, body?: object): Promise<{ readonly data?: unknown }> {
  return JSON.parse(await ask(url + path, { key: shop.key, body })) as { data?: unknown };
}
