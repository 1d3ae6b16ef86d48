import {
  OrderLifecycle,
  type ChangedOrder,
  type ChangeRequest,
  type OrderKey,
  type OrderRecord,
} from '@app/application';
import {
  BinAboveLimit,
  DomainError,
  effectOf,
  movesStockAgain,
  NotFound,
  OutOfStock,
  PlacedOrder,
  type LinesChange,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { isOutOfRange, isUniqueViolation } from '../postgres/postgres-errors.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Database } from '../postgres/database.js';
import {
  claimKey,
  findStoredAnswer,
  storeAnswer,
  releaseKey,
  type StoredAnswer,
} from '../postgres/idempotency-keys.js';
import { pickFrom } from '../stock/pick-from.js';
import { unitsReturned, type LockedOrder } from '../stock/restock.js';
import { assertFewMovements } from '../stock/movements-of-order.js';
import { isWithdrawn, shortagesIn, withdrawals } from '../stock/withdraw-stock.js';
import { assertFewEvents, bookings, changeEvents, lockOrder, refusalEvents, setState } from './order-changes.js';
import { writesOf } from './order-effects.js';
import { fromStored, toOrderRecord, type StoredOrder } from './order.rows.js';
import { readOrder, readRow } from './postgres-order.repository.js';

@Injectable()
export class PostgresOrderLifecycle extends OrderLifecycle {
  constructor(private readonly database: Database) {
    super();
  }

  override async change(request: ChangeRequest): Promise<ChangedOrder> {
    const { order, deadline, isPreview = false } = request;
    const work = async (sql: TransactionSql) => {
      const outcome = await change(sql, request);
      if (isPreview) throw new Previewed(outcome);
      return outcome;
    };
    const run = () => this.database.transaction(order.storeId, work, deadline);
    const outcome = await run()
      // Another order has taken the reference since the look-up: the repeated look-up finds it.
      .catch((error: unknown) => {
        if (isUniqueViolation(error, 'orders_by_external_reference')) return run();
        throw error;
      })
      .catch((error: unknown) => {
        if (error instanceof Previewed) return error.outcome;
        throw error;
      });
    if (outcome.refusal) throw outcome.refusal;
    return outcome;
  }
}

type StoredChange = (StoredOrder & { readonly shipsPicked?: boolean }) | null;

type Outcome = (ChangedOrder & { readonly refusal?: undefined }) | { readonly refusal: DomainError };

/** Rolls the transaction of a preview back. */
class Previewed extends Error {
  constructor(readonly outcome: Outcome) {
    super('previewed');
  }
}

// Locks the key first, then the order, its stock and its customer, like every writer.
async function change(sql: TransactionSql, request: ChangeRequest): Promise<Outcome> {
  const { order: target, idempotency } = request;
  // An erasure has renamed the keys of its person, which the claim alone does not find.
  const kept =
    idempotency &&
    // @protects kept-change
    ((await findStoredAnswer<StoredChange>(sql, 'change', idempotency)) ??
      (await claimKey<StoredChange>(sql, 'change', idempotency)));
  if (kept) {
    const { shipsPicked = false } = kept.record ?? {};
    return { order: await replayed(sql, target.storeId, kept), restocked: 0, isReplay: true, shipsPicked };
  }

  const locked = await lockOrder(sql, target);
  if (!locked) throw new NotFound('Order');
  try {
    return await changeLocked(sql, locked, request);
  } catch (error) {
    throw weighed(error, locked);
  }
}

/** Adds to a refusal how many bytes were read for it. */
function weighed<T>(error: T, { state }: LockedOrder): T {
  if (error instanceof DomainError) error.readBytes = JSON.stringify(state).length;
  return error;
}

async function changeLocked(
  sql: TransactionSql,
  locked: LockedOrder,
  { actor, decide, idempotency }: ChangeRequest,
): Promise<Outcome> {
  const { key, state } = locked;
  const decided = decide(new PlacedOrder(state));
  if (decided.refusal) {
    await sql.pipeline([refusalEvents(key, actor, decided.events)]);
    // A refused request does not use up its key.
    if (idempotency) await releaseKey(sql, idempotency.scope);
    return { refusal: weighed(decided.refusal, locked) };
  }

  if (decided.isEndless) await assertFewEvents(sql, key);
  // An earlier request made the change, and its commit may have stopped waiting for the standbys.
  if (decided.events.length === 0) await sql.waitForStandbys();
  const writes = await writesOf(sql, locked, decided.effects);
  const changes =
    decided.events.length === 0
      ? []
      : [
          changeEvents(key, actor, decided.events),
          ...writes.order,
          ...bookings(locked, decided),
          setState(locked, decided),
        ];
  const [lines, shipping] = [effectOf(decided, 'lines'), effectOf(decided, 'shipment')];
  const picked = shipping?.picked ?? [];
  const isDone = !lines && picked.length === 0;
  const answers = await sql
    .pipeline([...changes, ...writes.stock, ...writes.lines, ...writes.customer, ...(isDone ? [readOrder(key)] : [])])
    .catch((error: unknown) => {
      // The stock is the only value written by a return that grows with it.
      throw writes.stock.length > 0 && isOutOfRange(error) ? new BinAboveLimit() : error;
    });
  if (shipping && picked.length > 0) await pickFrom(sql, key, shipping.shipment.reference, picked);
  const row = readRow(isDone ? answers.at(-1) : await withdrawAndRead(sql, key, lines));
  if (movesStockAgain(new PlacedOrder(state), decided)) await assertFewMovements(sql, key);
  const restocked = unitsReturned(answers.slice(changes.length, changes.length + writes.stock.length));
  const shipsPicked = shipping?.shipsPicked ?? false;
  const record = shipsPicked ? { ...row, shipsPicked } : row;
  if (idempotency) await storeAnswer(sql, idempotency.scope, { orderId: key.orderId, record });
  return { order: toOrderRecord(row), restocked, isReplay: false, shipsPicked };
}

/** @throws OutOfStock */
async function withdrawAndRead(
  sql: TransactionSql,
  key: OrderKey,
  { demand, demandLines }: Pick<LinesChange, 'demand' | 'demandLines'> = { demand: [], demandLines: [] },
): Promise<readonly unknown[] | undefined> {
  const read = readOrder(key);
  if (demand.length === 0) return sql.query(read.text, read.values);
  const positions = demandLines.map(({ position }) => position);
  const { first, fromAny } = withdrawals(key.storeId, key.orderId, demand, positions);
  const [withdrawn, rows] = await sql.pipeline([first, read]);
  if (isWithdrawn(withdrawn)) return rows;
  const [taken, after] = await sql.pipeline([fromAny, read]);
  const shortages = shortagesIn(taken, demand);
  if (shortages.length > 0)
    throw new OutOfStock(shortages.map((short) => ({ ...short, ...demandLines[short.line]?.source })));
  return after;
}

async function replayed(
  sql: TransactionSql,
  storeId: number,
  { orderId, record }: StoredAnswer<StoredChange>,
): Promise<OrderRecord> {
  if (record) return fromStored(record);
  const [rows] = await sql.pipeline([readOrder({ storeId, orderId: orderId as string })]);
  return toOrderRecord(readRow(rows));
}
