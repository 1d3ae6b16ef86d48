import {
  ChangeOrder,
  HeldOrders,
  type HeldFilter,
  type HeldOrder,
  type OrderKey,
  type OrderLocation,
} from '@app/application';
import { DomainError, FRAUD_RULES, MANUAL, NotHeld, UNAVAILABLE } from '@app/domain';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { addCommand, chosenStores } from '../command.js';
import { withApplication } from '../database.js';
import { CommandFailed, EXIT } from '../failures.js';
import { orderReference, reasonName, rowCount, subdomain } from '../option-values.js';
import { byOperator, locateOrder } from '../order-command.js';
import { print, say } from '../output.js';

const BATCH = 500;

const RELEASE_HELP = `Orders that are not (or no longer) held are skipped. A cancelled order is refused.

Examples:
  orders release WEB-261120-7K3M9Q
  orders release --all --reason analysis_unavailable`;

interface Options {
  readonly store?: string;
  readonly reason?: readonly string[];
  readonly limit: number;
  readonly all?: boolean;
}

interface Outcome {
  readonly order_id: string;
  readonly store: string;
  readonly released: boolean;
  readonly error?: string;
}

export function addHeldOrders(orders: Command): void {
  addCommand(orders, 'list', 'list the orders that are under review, oldest first')
    .option('--held', 'orders under review; the default and only list')
    .option('--store <S>', 'only this store', subdomain)
    .option('--reason <R...>', 'only orders held for these reasons and for no other', collected(reasonName))
    .option('--limit <N>', 'the maximum number of orders to list', rowCount, 100)
    .action(({ store, reason, limit }: Options) =>
      withApplication(async (app) => {
        const found = await app.get(HeldOrders).list(await filterOf(app, store, reason), limit + 1, null);
        print(found.slice(0, limit).map(heldOrder));
        if (found.length > limit) say(`More than ${limit} orders are held: raise --limit, up to 1000.`);
      }),
    );

  addCommand(orders, 'release', 'release orders from review and send their confirmations', RELEASE_HELP)
    .argument('[orders...]', 'ids or receipt numbers', collected(orderReference))
    .option('--all', 'all orders held for these reasons and for no other')
    .option('--reason <R...>', 'with --all: reasons as `orders list` shows them', collected(reasonName))
    .option('--store <S>', 'only this store', subdomain)
    .action(async (references: readonly string[], { all, reason, store }: Options) => {
      if (all ? references.length > 0 || !reason : references.length === 0 || reason) {
        throw new CommandFailed('Specify orders, or --all with --reason.', EXIT.usage);
      }
      await withApplication(async (app) => {
        const outcomes = reason ? await releaseAll(app, store, reason) : await releaseEach(app, store, references);
        const failed = outcomes.filter(({ error }) => error !== undefined);
        print({ released: outcomes.filter(({ released }) => released).length, orders: outcomes });
        if (failed.length > 0) {
          const orders = failed.length === 1 ? '1 order was' : `${failed.length} orders were`;
          throw new CommandFailed(`${orders} not released.`);
        }
      });
    });
}

async function releaseEach(
  app: INestApplicationContext,
  store: string | undefined,
  references: readonly string[],
): Promise<Outcome[]> {
  // All orders are located before the first is released, so that a typing error releases nothing.
  const located: OrderLocation[] = [];
  for (const reference of references) located.push(await locateOrder(app, reference, store));
  const outcomes: Outcome[] = [];
  for (const order of located) outcomes.push(await release(app, order));
  return outcomes;
}

async function releaseAll(
  app: INestApplicationContext,
  store: string | undefined,
  reasons: readonly string[],
): Promise<Outcome[]> {
  const filter = await filterOf(app, store, reasons);
  const outcomes: Outcome[] = [];
  for (let after: OrderKey | null = null; ;) {
    const batch: HeldOrder[] = await app.get(HeldOrders).list(filter, BATCH, after);
    for (const order of batch) outcomes.push(await release(app, order));
    if (batch.length < BATCH) return outcomes;
    after = batch.at(-1) ?? null;
  }
}

async function filterOf(
  app: INestApplicationContext,
  store?: string,
  reasons?: readonly string[],
): Promise<HeldFilter> {
  if (reasons) await assertKnown(app, reasons);
  if (store !== undefined) await chosenStores(app, store);
  return { subdomain: store ?? null, reasons: reasons ?? null };
}

/** Rules of an extension are unknown to commands, so they are recognised by the orders that they hold. */
async function assertKnown(app: INestApplicationContext, reasons: readonly string[]): Promise<void> {
  const known = new Set([
    ...FRAUD_RULES.map(({ name }) => name),
    UNAVAILABLE,
    MANUAL,
    ...(await app.get(HeldOrders).reasons()),
  ]);
  const unknown = reasons.find((reason) => !known.has(reason));
  if (unknown === undefined) return;
  throw new CommandFailed(`No order is held for ${unknown}. The reasons are ${[...known].join(', ')}.`, EXIT.usage);
}

async function release(app: INestApplicationContext, order: OrderLocation): Promise<Outcome> {
  const outcome = { order_id: order.orderId, store: order.subdomain };
  try {
    await app.get(ChangeOrder).release(byOperator(order));
    return { ...outcome, released: true };
  } catch (error) {
    if (error instanceof NotHeld) return { ...outcome, released: false };
    if (!(error instanceof DomainError)) throw error;
    return { ...outcome, released: false, error: error.message };
  }
}

function heldOrder({ orderId: order_id, subdomain: store, currency, reasons, ...order }: HeldOrder) {
  const { receiptNumber: receipt_number, createdAt: created_at, totalAmount: total_amount, isTest: is_test } = order;
  return { order_id, receipt_number, store, created_at, total_amount, currency, is_test, reasons };
}

function collected(read: (value: string) => string) {
  return (value: string, previous: readonly string[] = []): string[] => [...previous, read(value)];
}
