import {
  IdempotencyInFlight,
  IdempotencyMismatch,
  OrderPlacement,
  receiptOf,
  ReceiptNumberTaken,
  type ExternalReference,
  type IdempotentRequest,
  type OrderReceipt,
  type Placement,
  type PlacementCheck,
  type PlacementOutcome,
} from '@app/application';
import { ExternalReferenceTaken, type Shortage, type StockDemand } from '@app/domain';
import { findOrder, itemKey, scopeKey, type InMemoryTransactions, type State } from './in-memory-transactions.js';

/** Rolls back a placement that lacks stock. */
class StockIsShort extends Error {
  constructor(readonly shortages: readonly Shortage[]) {
    super();
  }
}

export class InMemoryOrderPlacement extends OrderPlacement {
  constructor(private readonly transactions: InMemoryTransactions) {
    super();
  }

  override findReplay(request: IdempotentRequest): Promise<OrderReceipt | null> {
    return this.transactions.run((state) => replayOf(state, request));
  }

  override awaitReplay(request: IdempotentRequest): Promise<OrderReceipt | null> {
    return this.transactions.run((state) => this.claim(state, request));
  }

  override findByReference(reference: ExternalReference): Promise<string | null> {
    return this.transactions.run((state) => referenced(state, reference));
  }

  override check(reference: ExternalReference, demand: readonly StockDemand[]): Promise<PlacementCheck> {
    return this.transactions.run((state) => ({
      shortages: demand.flatMap((one) => shortagesOf(state, one)).sort((a, b) => a.line - b.line),
      isReferenceTaken: referenced(state, reference) !== null,
    }));
  }

  override async place(placement: Placement): Promise<PlacementOutcome> {
    try {
      return await this.transactions.run((state) => this.write(state, placement));
    } catch (error) {
      if (error instanceof StockIsShort) return { outcome: 'short', shortages: error.shortages };
      throw error;
    }
  }

  /** Transactions run one at a time, so only a held key is in flight. */
  private claim(state: State, request: IdempotentRequest): OrderReceipt | null {
    if (this.transactions.heldKeys.has(scopeKey(request.scope))) throw new IdempotencyInFlight();
    return replayOf(state, request);
  }

  private write(state: State, { order, assessment, demand, idempotency }: Placement): PlacementOutcome {
    const { id, storeId, receiptNumber, status, fulfillmentStatus } = order;
    const receipt = idempotency && this.claim(state, idempotency);
    if (receipt && receipt.orderId !== id) return { outcome: 'replayed', receipt };
    if (findOrder(state, { storeId, orderId: id })) return { outcome: 'placed' };
    if (state.orders.some(({ order: o }) => o.storeId === storeId && o.receiptNumber === receiptNumber)) {
      throw new ReceiptNumberTaken();
    }
    const existing = referenced(state, order);
    if (existing) throw new ExternalReferenceTaken(existing);

    state.orders.push({ order, assessment, state: { status, fulfillmentStatus } });
    for (const stage of ['notify-customer', 'notify-merchant'] as const) {
      const isHeld = stage === 'notify-customer' && assessment.verdict === 'REVIEW';
      const heldFor = isHeld ? assessment.reasons.map(({ rule }) => rule) : [];
      state.queued.push({ orderId: id, stage, state: isHeld ? 'held' : 'pending', heldFor });
    }
    if (idempotency) {
      const { scope, requestHash } = idempotency;
      state.keys.set(scopeKey(scope), { requestHash, receipt: receiptOf(order) });
    }
    const shortages = demand.flatMap((one) => withdraw(state, id, one));
    if (shortages.length > 0) throw new StockIsShort(shortages.sort((a, b) => a.line - b.line));
    return { outcome: 'placed' };
  }
}

function replayOf(state: State, { scope, requestHash }: IdempotentRequest): OrderReceipt | null {
  const kept = state.keys.get(scopeKey(scope));
  if (!kept) return null;
  if (!kept.requestHash.equals(requestHash)) throw new IdempotencyMismatch();
  return kept.receipt;
}

/** The id of the order that has the reference. */
function referenced(state: State, { storeId, isTest, externalReference }: ExternalReference): string | null {
  if (externalReference === '') return null;
  const found = state.orders.find(
    ({ order }) =>
      order.storeId === storeId && order.isTest === isTest && order.externalReference === externalReference,
  );
  return found?.order.id ?? null;
}

/** Returns the lines that are short. */
function withdraw(state: State, orderId: string, demand: StockDemand): Shortage[] {
  const shortages = shortagesOf(state, demand);
  if (shortages.length > 0) return shortages;

  const item = itemKey(demand);
  const bins = state.bins.get(item) ?? [];
  let outstanding = demand.quantity;
  for (const bin of bins.toSorted((a, b) => b.quantity - a.quantity || a.binId - b.binId)) {
    const quantity = Math.min(bin.quantity, outstanding);
    if (quantity === 0) break;
    bin.quantity -= quantity;
    outstanding -= quantity;
    state.taken.set(orderId, [...(state.taken.get(orderId) ?? []), { item, binId: bin.binId, quantity }]);
  }
  return [];
}

function shortagesOf(state: State, demand: StockDemand): Shortage[] {
  const bins = state.bins.get(itemKey(demand)) ?? [];
  const available = bins.reduce((sum, { quantity }) => sum + quantity, 0);
  const requested = demand.quantity;
  return available < requested ? demand.lines.map((line) => ({ line, requested, available })) : [];
}
