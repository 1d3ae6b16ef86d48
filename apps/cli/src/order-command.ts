import type { ChangedOrder, OrderLocation } from '@app/application';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { withApplication } from './database.js';
import { locateOrder } from './locate-order.js';
import { orderReference, subdomain } from './option-values.js';
import { printJson } from './output.js';

export interface StoreOption {
  readonly store?: string;
}

export function addOrderCommand(orders: Command, verb: string, description: string): Command {
  return orders
    .command(verb)
    .description(description)
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
  printJson({ order_id: orderId, store, status, fulfillment_status: fulfillmentStatus, ...more });
}
