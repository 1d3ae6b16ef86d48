import {
  IdempotencyMismatch,
  OrderLifecycle,
  type ChangedOrder,
  type ChangeRequest,
  type OrderKey,
  type OrderRecord,
} from '@app/application';
import { NotFound, PlacedOrder, type DomainError, type OrderChange } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Transactions } from '../postgres/transactions.js';
import { restock } from '../stock/restock.js';
import { claimKey, findReplay, keepAnswer, readerOf, releaseKey } from './idempotency-keys.js';
import { loadOrder, lockOrder, refusalEvents, statementsOf } from './order-changes.js';
import { abandonHeldStage, queueMail, releaseHeldStage } from './order-stages.js';
import { readOrder } from './postgres-order.repository.js';

@Injectable()
export class PostgresOrderLifecycle extends OrderLifecycle {
  constructor(private readonly transactions: Transactions) {
    super();
  }

  override async change(request: ChangeRequest): Promise<ChangedOrder> {
    const outcome = await this.transactions.run((sql) => change(sql, request), request.deadline);
    if (outcome.refusal) throw outcome.refusal;
    return outcome;
  }
}

type Outcome = (ChangedOrder & { readonly refusal?: undefined }) | { readonly refusal: DomainError };

// The key first, then the order, then its stock: the lock order of every writer.
async function change(
  sql: TransactionSql,
  { order: target, actor, decide, idempotency }: ChangeRequest,
): Promise<Outcome> {
  // An erasure has renamed the key of its person, which the claim alone does not find.
  const kept =
    idempotency && ((await findReplay(readerOf(sql), idempotency)) ?? (await claimKey(sql, idempotency, null)));
  if (kept) {
    if (kept.orderId === null) throw new IdempotencyMismatch();
    const order = await find(sql, { storeId: target.storeId, orderId: kept.orderId });
    return { order, restocked: 0, replay: kept.answer ?? idempotency.answer(order) };
  }

  const key = await lockOrder(sql, target);
  if (!key) throw new NotFound('Order');
  const decided = decide(new PlacedOrder(await loadOrder(sql, key)));
  if (decided.refusal) {
    await sql.pipeline([refusalEvents(key, actor, decided.events)]);
    // The key stays free.
    if (idempotency) await releaseKey(sql, idempotency.scope);
    return { refusal: decided.refusal };
  }

  let restocked = 0;
  // An earlier request made the change, and its commit may have stopped waiting for the standbys.
  if (decided.events.length === 0) await sql.waitForStandbysAtCommit();
  else {
    await sql.pipeline(statementsOf(key, actor, decided));
    restocked = await followUp(sql, key, decided);
  }
  const order = await find(sql, key);
  if (idempotency)
    await keepAnswer(sql, idempotency.scope, { orderId: key.orderId, answer: idempotency.answer(order) });
  return { order, restocked, replay: null };
}

/** What follows from a change. @returns the units that went back to their bins. */
async function followUp(sql: TransactionSql, key: OrderKey, change: OrderChange): Promise<number> {
  if (change.review === 'released') await releaseHeldStage(sql, key);
  if (change.review === 'abandoned') await abandonHeldStage(sql, key);
  if (change.mail) await queueMail(sql, key, change.mail);
  return change.restock ? restock(sql, key, change.restock) : 0;
}

async function find(sql: TransactionSql, key: OrderKey): Promise<OrderRecord> {
  const order = await readOrder(sql, key);
  if (!order) throw new NotFound('Order');
  return order;
}
