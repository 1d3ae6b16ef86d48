import {
  CommitOutcomeUnknown,
  Deadline,
  IdempotencyMismatch,
  LOST_COMMIT_LOOK_UP_MS,
  OrderPlacement,
  receiptOf,
  ReceiptNumberTaken,
  Unavailable,
  type ExternalReference,
  type IdempotentRequest,
  type OrderClaim,
  type OrderReceipt,
  type Placement,
  type PlacementCheck,
  type PlacementOutcome,
  type Winner,
} from '@app/application';
import { ExternalReferenceTaken, type Order, type Shortage, type StockDemand } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { Database } from '../postgres/database.js';
import { WAITS_FOR_STANDBYS } from '../postgres/standby-wait.js';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';
import { stockPreview } from '../stock/preview-stock.js';
import { assertFewMovements } from '../stock/movements-of-order.js';
import { isInNoSingleBin, shortagesIn, shortagesOf, withdrawals, type AvailableRow } from '../stock/withdraw-stock.js';
import { claimKey, findStoredAnswer } from '../postgres/idempotency-keys.js';
import { insertionError, orderInsertion, OrderExists, ReferenceInUse } from './insert-order.js';

const EXISTS = `/* orders.exists */
  SELECT ${WAITS_FOR_STANDBYS} AS waits FROM orders WHERE store_id = $1 AND id = $2`;

const FIND_BY_REFERENCE = `/* orders.find_by_reference */
  SELECT id, ${WAITS_FOR_STANDBYS} AS waits FROM orders
  WHERE store_id = $1 AND external_reference = $2 AND is_test = $3`;

interface ReferencedRow {
  readonly id: string;
  readonly waits: boolean;
}

class StockIsShort extends Error {
  constructor(readonly shortages: readonly Shortage[]) {
    super();
  }
}

class KeyIsFree extends Error {}

@Injectable()
export class PostgresOrderPlacement extends OrderPlacement {
  private readonly recovered: Counter;

  constructor(
    private readonly database: Database,
    { registry }: ServiceMetrics,
  ) {
    super();
    this.recovered = new Counter({
      name: 'orders_recovered_total',
      help: 'Orders acknowledged after the outcome of their commit was unknown',
      registers: [registry],
    });
  }

  override async winnerOf(claim: OrderClaim, look: 'once' | 'wait', deadline: Deadline): Promise<Winner | null> {
    const receipt = await this.replayOf(claim.idempotency, look, deadline);
    if (receipt) return { outcome: 'replayed', receipt };
    if (look === 'once' || claim.externalReference === '') return null;
    const orderId = await deadline.bound(this.findByReference(claim));
    return orderId === null ? null : { outcome: 'taken', orderId };
  }

  override async check(reference: ExternalReference, demand: readonly StockDemand[]): Promise<PlacementCheck> {
    const { text, values } = stockPreview(reference.storeId, demand);
    const [rows, referenced] = await Promise.all([
      demand.length > 0 ? this.database.queryPrepared<AvailableRow>(text, values) : [],
      reference.externalReference === '' ? [] : this.referenced(reference),
    ]);
    return { shortages: shortagesOf(rows, demand), isReferenceTaken: referenced.length > 0 };
  }

  override place(placement: Placement, deadline: Deadline): Promise<PlacementOutcome> {
    // @protects reference-after-insert
    return this.attempt(placement, deadline, null);
  }

  private async replayOf(
    request: IdempotentRequest | null,
    look: 'once' | 'wait',
    deadline: Deadline,
  ): Promise<OrderReceipt | null> {
    if (!request) return null;
    return look === 'wait' ? this.awaitReplay(request, deadline) : deadline.bound(this.findReplay(request));
  }

  private async findReplay(request: IdempotentRequest): Promise<OrderReceipt | null> {
    const reader = {
      query: <Row>(text: string, values: readonly unknown[]) => this.database.queryPrepared<Row>(text, values),
      waitForStandbys: () => this.database.waitForStandbys(),
    };
    return (await findStoredAnswer<OrderReceipt>(reader, 'order', request))?.record ?? null;
  }

  /** Finds a replay like `findReplay`, but waits for another request that holds the key. */
  private async awaitReplay(request: IdempotentRequest, deadline: Deadline): Promise<OrderReceipt | null> {
    try {
      return await this.database.transaction(
        request.scope.storeId,
        async (sql) => {
          const kept = await claimKey<OrderReceipt>(sql, 'order', request);
          if (!kept) throw new KeyIsFree();
          return kept.record;
        },
        deadline,
      );
    } catch (error) {
      if (error instanceof KeyIsFree) return null;
      throw error;
    }
  }

  /** Returns the id of the committed order. It does not wait for one that is being placed. */
  private async findByReference(reference: ExternalReference): Promise<string | null> {
    const [row] = await this.referenced(reference);
    // A client that reads the id takes the order as placed, as with a replay.
    // @protects named-order-on-standby
    if (row?.waits) await this.database.waitForStandbys();
    return row?.id ?? null;
  }

  private referenced({ storeId, externalReference, isTest }: ExternalReference): Promise<ReferencedRow[]> {
    return this.database.queryPrepared(FIND_BY_REFERENCE, [storeId, externalReference, isTest]);
  }

  /** @param earlierLoss the lost commit of an earlier attempt, which the look-up did not find. */
  private async attempt(
    placement: Placement,
    deadline: Deadline,
    earlierLoss: CommitOutcomeUnknown | null,
  ): Promise<PlacementOutcome> {
    try {
      // @protects placing-transaction
      const outcome = await this.write(placement, deadline);
      if (earlierLoss !== null && outcome.outcome === 'placed') this.recovered.inc();
      return outcome;
    } catch (caught) {
      const error =
        caught instanceof ReferenceInUse ? await this.ownerOfReference(placement.order, deadline, earlierLoss) : caught;
      // Each of these errors settles the outcome of an earlier COMMIT: PostgreSQL lets an attempt insert the order or
      // its reference, or read the key, only after the end of an earlier transaction that inserted the same.
      if (error instanceof StockIsShort) return { outcome: 'short', shortages: error.shortages };
      if (error instanceof ExternalReferenceTaken) return { outcome: 'taken', orderId: error.orderId };
      if (error instanceof IdempotencyMismatch) throw error;

      const lost = lostCommitOf(error) ?? earlierLoss;
      if (lost === null) throw error;
      // If the order's id is found, the commit took effect. If it is not found, nothing is known: the COMMIT may still
      // be on its way to the server, or wait for a standby. The next attempt waits for it and conflicts with its order.
      if (await this.wasCommitted(placement.order, deadline, lost)) {
        this.recovered.inc();
        return placed(placement.order);
      }
      if (error instanceof ReceiptNumberTaken) throw error; // a committed order has the number, and it is another one
      if (error !== lost || deadline.remainingMs === 0) throw lost;
      return this.attempt(placement, deadline, lost);
    }
  }

  /**
   * The withdrawal comes last: the stock rows, which other buyers want, are locked only until the commit. COMMIT
   * travels together with a withdrawal from one bin for each line. When no single bin has enough, a second transaction
   * takes the units from several bins.
   */
  private async write(placement: Placement, deadline: Deadline): Promise<PlacementOutcome> {
    const { order, demand } = placement;
    const { firstOrFail, fromAny } = withdrawals(order.storeId, order.id, demand);
    const run = (save: (sql: TransactionSql, insertion: Statement) => Promise<void>) =>
      this.database.transaction(
        order.storeId,
        (sql) => write(sql, placement, (insertion) => save(sql, insertion)),
        deadline,
      );
    if (firstOrFail !== null) {
      try {
        return await run((sql, insertion) => sql.commitWith([insertion, firstOrFail]));
      } catch (error) {
        if (!isInNoSingleBin(error)) throw error;
      }
    }
    return run(async (sql, insertion) => {
      const [, withdrawn] = await sql.pipeline([insertion, fromAny]);
      const shortages = shortagesIn(withdrawn, demand);
      if (shortages.length > 0) throw new StockIsShort(shortages);
      // The check is needed only here: a withdrawal from one bin for each line is always within the limits.
      await assertFewMovements(sql, { storeId: order.storeId, orderId: order.id });
    });
  }

  /**
   * Handles a reference that is in use, either by another order or by an earlier attempt to place the same one.
   * @throws earlierLoss, if there is one, when the look-up fails or takes too long.
   */
  private async ownerOfReference(
    order: Order,
    deadline: Deadline,
    earlierLoss: CommitOutcomeUnknown | null,
  ): Promise<ExternalReferenceTaken | OrderExists | Unavailable> {
    const found = await lookUpTime(deadline)
      .bound(this.findByReference(order))
      .catch((error: unknown) => {
        throw earlierLoss ?? error;
      });
    if (found === order.id) return new OrderExists();
    return found === null ? new Unavailable() : new ExternalReferenceTaken(found);
  }

  private wasCommitted(order: Order, deadline: Deadline, lost: CommitOutcomeUnknown): Promise<boolean> {
    return lookUpTime(deadline)
      .bound(this.isCommitted(order))
      .catch(() => {
        throw lost;
      });
  }

  private async isCommitted({ storeId, id }: Order): Promise<boolean> {
    const [row] = await this.database.queryPrepared<{ waits: boolean }>(EXISTS, [storeId, id]);
    if (row?.waits) await this.database.waitForStandbys();
    return row !== undefined;
  }
}

function lookUpTime({ remainingMs }: Deadline): Deadline {
  return Deadline.in(Math.max(LOST_COMMIT_LOOK_UP_MS, remainingMs));
}

/** Returns the commit that an attempt lost: an order may be committed, but nothing shows that it is replicated. */
function lostCommitOf(error: unknown): CommitOutcomeUnknown | null {
  if (error instanceof CommitOutcomeUnknown) return error;
  return error instanceof OrderExists ? new CommitOutcomeUnknown(error) : null;
}

function placed(order: Order): PlacementOutcome {
  return { outcome: 'placed', receipt: receiptOf(order) };
}

/** @param save inserts the order and withdraws its units. */
async function write(
  sql: TransactionSql,
  { order, assessment, idempotency }: Placement,
  save: (insertion: Statement) => Promise<void>,
): Promise<PlacementOutcome> {
  const kept =
    idempotency && (await claimKey(sql, 'order', idempotency, { orderId: order.id, record: receiptOf(order) }));
  // An earlier attempt of this placement, whose COMMIT went unanswered, may hold the key.
  if (kept?.orderId === order.id) return placed(order);
  if (kept) return { outcome: 'replayed', receipt: kept.record };
  await save(orderInsertion(order, assessment)).catch((error: unknown) => {
    throw insertionError(error);
  });
  return placed(order);
}
