import {
  CommitOutcomeUnknown,
  Deadline,
  LOST_COMMIT_LOOK_UP_MS,
  OrderPlacement,
  type IdempotentRequest,
  type Placement,
  type PlacementOutcome,
  type Replay,
} from '@app/application';
import type { Order, Shortage } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Transactions } from '../postgres/transactions.js';
import { shortagesIn, withdrawal } from '../stock/withdraw-stock.js';
import { claimKey, findReplay } from './idempotency-keys.js';
import { insertionError, orderInsertion, OrderExists } from './insert-order.js';
import { stageInsertion } from './order-stages.js';

const PLACED: PlacementOutcome = { outcome: 'placed' };

/** Rolls back a placement that lacks stock. */
class StockIsShort extends Error {
  constructor(readonly shortages: readonly Shortage[]) {
    super();
  }
}

/** Rolls back the claim of a key. */
class KeyIsFree extends Error {}

@Injectable()
export class PostgresOrderPlacement extends OrderPlacement {
  constructor(
    private readonly transactions: Transactions,
    private readonly database: Database,
  ) {
    super();
  }

  override findReplay(request: IdempotentRequest): Promise<Replay | null> {
    return findReplay((text, values) => this.database.queryPrepared(text, values), request);
  }

  override async awaitReplay(request: IdempotentRequest, deadline: Deadline): Promise<Replay | null> {
    try {
      return await this.transactions.run(async (sql) => {
        const replay = await claimKey(sql, request, null);
        if (!replay) throw new KeyIsFree();
        return replay;
      }, deadline);
    } catch (error) {
      if (error instanceof KeyIsFree) return null;
      throw error;
    }
  }

  override async place(placement: Placement, deadline: Deadline): Promise<PlacementOutcome> {
    try {
      return await this.transactions.run((sql) => write(sql, placement), deadline);
    } catch (error) {
      if (error instanceof StockIsShort) return { outcome: 'short', shortages: error.shortages };
      if (error instanceof OrderExists) return PLACED;
      if (!(error instanceof CommitOutcomeUnknown)) throw error;
      // The commit may have taken effect although its answer was lost: the order's id tells. If the commit is still on
      // its way, the next attempt conflicts with the order that it creates.
      const lookUp = Deadline.in(Math.max(LOST_COMMIT_LOOK_UP_MS, deadline.remainingMs));
      const isCommitted = await lookUp.bound(this.isCommitted(placement.order)).catch(() => {
        throw error;
      });
      if (isCommitted) return PLACED;
      if (deadline.remainingMs === 0) throw error;
      return this.place(placement, deadline);
    }
  }

  private async isCommitted({ storeId, id }: Order): Promise<boolean> {
    const text = `/* orders.exists */ SELECT 1 FROM orders WHERE store_id = $1 AND id = $2`;
    return (await this.database.queryPrepared(text, [storeId, id])).length > 0;
  }
}

async function write(
  sql: TransactionSql,
  { order, assessment, demand, idempotency }: Placement,
): Promise<PlacementOutcome> {
  const replay = idempotency && (await claimKey(sql, idempotency, order));
  // The key may be held by an earlier attempt of this placement, whose COMMIT went unanswered.
  if (replay?.orderId === order.id) return PLACED;
  if (replay) return { outcome: 'replayed', replay };

  // The withdrawal comes last: the stock rows, which other buyers want, are locked only until the commit that follows.
  const statements = [
    orderInsertion(order, assessment),
    stageInsertion(order, assessment),
    withdrawal(order.storeId, order.id, demand),
  ];
  const results = await sql.pipeline(statements).catch((error: unknown) => {
    throw insertionError(error);
  });
  const shortages = shortagesIn(results.at(-1), demand);
  if (shortages.length > 0) throw new StockIsShort(shortages);
  return PLACED;
}
