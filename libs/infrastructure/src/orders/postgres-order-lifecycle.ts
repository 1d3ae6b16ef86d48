import { OrderLifecycle, type ChangedOrder, type ChangeRequest, type OrderRecord } from '@app/application';
import { BinAboveLimit, NotFound, PlacedOrder, type DomainError } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { isOutOfRange } from '../postgres/postgres-errors.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Transactions } from '../postgres/transactions.js';
import { claimKey, findKept, keepRecord, releaseKey, type Kept } from '../postgres/idempotency-keys.js';
import { restockStatements, unitsReturned } from '../stock/restock.js';
import { lockOrder, refusalEvents, statementsOf } from './order-changes.js';
import { fromKept, toOrderRecord, type KeptOrder } from './order.rows.js';
import { readOrder, readRow } from './postgres-order.repository.js';

@Injectable()
export class PostgresOrderLifecycle extends OrderLifecycle {
  constructor(private readonly transactions: Transactions) {
    super();
  }

  override async change(request: ChangeRequest): Promise<ChangedOrder> {
    const outcome = await this.transactions.run(request.order.storeId, (sql) => change(sql, request), request.deadline);
    if (outcome.refusal) throw outcome.refusal;
    return outcome;
  }
}

type KeptChange = (KeptOrder & { readonly shipsPicked?: boolean }) | null;

type Outcome = (ChangedOrder & { readonly refusal?: undefined }) | { readonly refusal: DomainError };

// The key first, then the order, then its stock: the lock order of every writer.
async function change(
  sql: TransactionSql,
  { order: target, actor, decide, idempotency }: ChangeRequest,
): Promise<Outcome> {
  // An erasure has renamed the key of its person, which the claim alone does not find.
  const kept =
    idempotency &&
    // @protects kept-change
    ((await findKept<KeptChange>(sql, 'change', idempotency)) ??
      (await claimKey<KeptChange>(sql, 'change', idempotency)));
  if (kept) {
    const { shipsPicked = false } = kept.record ?? {};
    return { order: await replayed(sql, target.storeId, kept), restocked: 0, isReplay: true, shipsPicked };
  }

  const locked = await lockOrder(sql, target);
  if (!locked) throw new NotFound('Order');
  const { key, state } = locked;
  const decided = decide(new PlacedOrder(state));
  if (decided.refusal) {
    await sql.pipeline([refusalEvents(key, actor, decided.events)]);
    // The key stays free.
    if (idempotency) await releaseKey(sql, idempotency.scope);
    return { refusal: decided.refusal };
  }

  // An earlier request made the change, and its commit may have stopped waiting for the standbys.
  if (decided.events.length === 0) await sql.waitForStandbys();
  const changes = decided.events.length === 0 ? [] : statementsOf(locked, actor, decided);
  // The stock comes last.
  const returns = decided.restock ? restockStatements(key, decided.restock) : [];
  const answers = await sql.pipeline([...changes, ...returns, readOrder(key)]).catch((error: unknown) => {
    // Nothing else that a return writes grows with it.
    throw decided.restock && isOutOfRange(error) ? new BinAboveLimit() : error;
  });
  const row = readRow(answers.at(-1));
  const restocked = unitsReturned(answers.slice(changes.length, -1));
  const { shipsPicked = false } = decided;
  const record = shipsPicked ? { ...row, shipsPicked } : row;
  if (idempotency) await keepRecord(sql, idempotency.scope, { orderId: key.orderId, record });
  return { order: toOrderRecord(row), restocked, isReplay: false, shipsPicked };
}

async function replayed(
  sql: TransactionSql,
  storeId: number,
  { orderId, record }: Kept<KeptChange>,
): Promise<OrderRecord> {
  if (record) return fromKept(record);
  const [rows] = await sql.pipeline([readOrder({ storeId, orderId: orderId as string })]);
  return toOrderRecord(readRow(rows));
}
