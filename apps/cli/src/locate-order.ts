import { OrderRepository, type OrderLocation } from '@app/application';
import { NotFound } from '@app/domain';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandFailed } from './failures.js';

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
