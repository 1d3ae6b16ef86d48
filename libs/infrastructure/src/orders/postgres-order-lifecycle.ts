import {
  OrderLifecycle,
  type ChangedOrder,
  type ChangeRequest,
  type OrderKey,
  type OrderRecord,
} from '@app/application';
import { BinAboveLimit, NotFound, OutOfStock, PlacedOrder, type DomainError, type LinesChange } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { isOutOfRange } from '../postgres/postgres-errors.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Transactions } from '../postgres/transactions.js';
import { claimKey, findKept, keepRecord, releaseKey, type Kept } from '../postgres/idempotency-keys.js';
import { pickFrom } from '../stock/pick-from.js';
import { findTargets, restockStatements, unitsReturned } from '../stock/restock.js';
import { isWithdrawn, shortagesIn, withdrawals } from '../stock/withdraw-stock.js';
import { linesStatements, lockOrder, refusalEvents, spendingStatements, statementsOf } from './order-changes.js';
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

// The key first, then the order, its stock and its customer: the lock order of every writer.
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
  // The stock comes after the order.
  const { restock, lines, shipment, picked } = decided;
  const targets = restock ? await findTargets(sql, locked, restock) : [];
  const returns = restockStatements(locked, decided, targets);
  const linesAfter = lines ? linesStatements(locked, lines) : [];
  const spending = spendingStatements(locked, decided);
  const answers = await sql
    .pipeline([...changes, ...returns, ...linesAfter, ...spending, ...(lines || picked ? [] : [readOrder(key)])])
    .catch((error: unknown) => {
      // Nothing else that a return writes grows with it.
      throw restock && isOutOfRange(error) ? new BinAboveLimit() : error;
    });
  if (shipment && picked) await pickFrom(sql, key, shipment.reference, picked);
  const row = readRow(lines || picked ? await withdrawAndRead(sql, key, lines) : answers.at(-1));
  const restocked = unitsReturned(answers.slice(changes.length));
  const { shipsPicked = false } = decided;
  const record = shipsPicked ? { ...row, shipsPicked } : row;
  if (idempotency) await keepRecord(sql, idempotency.scope, { orderId: key.orderId, record });
  return { order: toOrderRecord(row), restocked, isReplay: false, shipsPicked };
}

/** @throws OutOfStock */
async function withdrawAndRead(
  sql: TransactionSql,
  key: OrderKey,
  { demand, places }: Pick<LinesChange, 'demand' | 'places'> = { demand: [], places: [] },
): Promise<readonly unknown[] | undefined> {
  const read = readOrder(key);
  if (demand.length === 0) return sql.query(read.text, read.values);
  const { fromFullest, fromAny } = withdrawals(key.storeId, key.orderId, demand);
  const [withdrawn, rows] = await sql.pipeline([fromFullest, read]);
  if (isWithdrawn(withdrawn)) return rows;
  const [taken, after] = await sql.pipeline([fromAny, read]);
  const shortages = shortagesIn(taken, demand);
  if (shortages.length > 0) throw new OutOfStock(shortages.map((short) => ({ ...short, ...places[short.line] })));
  return after;
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
