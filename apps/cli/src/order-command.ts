import {
  OrderRepository,
  type ChangeContext,
  type ChangedOrder,
  type OrderKey,
  type OrderLocation,
} from '@app/application';
import { NotFound } from '@app/domain';
import { operator } from '@app/infrastructure';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { addCommand } from './command.js';
import { withApplication } from './database.js';
import { CommandFailed } from './failures.js';
import { orderReference, subdomain } from './option-values.js';
import { print } from './output.js';

export interface StoreOption {
  readonly store?: string;
}

export function addOrderCommand(orders: Command, verb: string, description: string, help?: string): Command {
  return addCommand(orders, verb, description, help)
    .argument('<order>', 'id or receipt number', orderReference)
    .option('--store <S>', 'subdomain, for a receipt number that several stores have', subdomain);
}

export function withOrder(
  reference: string,
  store: string | undefined,
  work: (app: INestApplicationContext, order: OrderLocation) => Promise<void>,
): Promise<void> {
  return withApplication(async (app) => work(app, await locateOrder(app, reference, store)));
}

export function printChanged(
  { orderId, subdomain: store }: OrderLocation,
  { order: { status, fulfillmentStatus } }: ChangedOrder,
  more: object,
): void {
  print({ order_id: orderId, store, status, fulfillment_status: fulfillmentStatus, ...more });
}

/** Returns the context of a change that an operator makes, to a live or a test order. */
export function byOperator({ storeId, orderId }: OrderKey): ChangeContext {
  return { order: { storeId, reference: orderId, isTest: null }, actor: operator(), idempotency: null };
}

/** @throws NotFound, or CommandFailed when several stores have such an order. */
export async function locateOrder(
  app: INestApplicationContext,
  reference: string,
  store: string | undefined,
): Promise<OrderLocation> {
  const [order, another] = await app.get(OrderRepository).locate(reference, store ?? null);
  if (!order) throw new NotFound(`Order ${reference}`);
  if (another) throw new CommandFailed(`Several stores have an order ${reference}: add --store.`);
  return order;
}
