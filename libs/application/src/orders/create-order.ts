import { createHash, randomBytes } from 'node:crypto';
import {
  DomainError,
  Order,
  OrderRejected,
  RECEIPT_RANDOM_BYTES,
  receiptNumber,
  sumDemand,
  type ApiKeyMode,
  type Currency,
  type FraudAssessment,
  type OrderCustomer,
  type PaymentMethod,
  type PostalAddress,
} from '@app/domain';
import { LOST_COMMIT_LOOK_UP_MS } from '../deadlines.js';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { CatalogPricing, type LineRequest } from '../ports/catalog-pricing.js';
import { Clock } from '../ports/clock.js';
import { FraudScreening } from '../ports/fraud-screening.js';
import {
  IdempotencyMismatch,
  IdempotencyRecords,
  type IdempotencyRecord,
  type IdempotencyScope,
} from '../ports/idempotency-records.js';
import { OrderExists, OrderRepository, ReceiptNumberTaken } from '../ports/order.repository.js';
import { CommitOutcomeUnknown, UnitOfWork, type Transaction } from '../ports/unit-of-work.js';
import { inOrder } from '../in-order.js';
import { Deadline } from '../deadline.js';

/** The order as the client asked for it. */
export interface OrderRequest {
  readonly items: readonly LineRequest[];
  readonly customer: OrderCustomer;
  readonly address: PostalAddress;
  readonly paymentMethod: PaymentMethod;
  readonly notes: string;
}

export interface CreateOrderCommand {
  readonly store: { readonly id: number; readonly currency: Currency };
  readonly mode: ApiKeyMode;
  readonly request: OrderRequest;
  /** `null` when the client sent none. */
  readonly idempotencyKey: string | null;
  /** Until which the request may be kept waiting; when it passes, nothing is written. */
  readonly deadline: Deadline;
  /** Makes the response that is sent, and kept for replays. */
  readonly render: (order: Order) => string;
}

export interface CreatedOrder {
  readonly response: string | Buffer;
  /** Whether this is the answer to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** A client's Idempotency-Key, and what it was sent with. */
interface KeyedRequest {
  readonly scope: IdempotencyScope;
  readonly requestHash: Buffer;
}

/** An order on its way into the database. */
interface Placement {
  readonly order: Order;
  readonly assessment: FraudAssessment;
  readonly keyed: KeyedRequest | null;
  readonly response: string;
}

const RECEIPT_ATTEMPTS = 3;

@Injectable()
export class CreateOrder {
  constructor(
    private readonly pricing: CatalogPricing,
    private readonly fraud: FraudScreening,
    private readonly unitOfWork: UnitOfWork,
    private readonly orders: OrderRepository,
    private readonly idempotency: IdempotencyRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Prices the items from the live catalog and screens the order, then takes the stock, saves the order and queues
   * its pipeline in one transaction.
   *
   * @throws InvalidOrderItems before anything is written.
   * @throws OrderRejected when the store's fraud rules refuse it; only the assessment is written.
   * @throws OutOfStock when stock is short at commit time; nothing is written.
   * @throws IdempotencyMismatch when the key was used with another request.
   * @throws IdempotencyInFlight when the first request with the key is still running.
   * @throws DeadlineExceeded when the deadline passes before the order's transaction could begin, or its refusal could be kept.
   */
  async execute(command: CreateOrderCommand): Promise<CreatedOrder> {
    const { store, mode, request, idempotencyKey, deadline } = command;
    const keyed = idempotencyKey === null ? null : keyedRequest(command, idempotencyKey);

    // A replay is answered before pricing: the catalog may have changed since.
    const earlier = keyed && (await deadline.bound(this.idempotency.find(keyed.scope)));
    if (earlier) return replay(earlier, keyed);

    const pricing = deadline.bound(this.pricing.price(store.id, store.currency, request.items));
    const lines = await pricing.catch((error: Error) => error);
    if (lines instanceof Error) return this.refuse(lines, keyed, deadline);

    const place = () => {
      const placedAt = this.clock.now();
      return Order.place({
        id: uuidv7(),
        storeId: store.id,
        receiptNumber: receiptNumber('WEBSITE', placedAt, randomBytes(RECEIPT_RANDOM_BYTES)),
        currency: store.currency,
        paymentMethod: request.paymentMethod,
        customer: request.customer,
        address: request.address,
        notes: request.notes,
        isTest: mode === 'test',
        lines,
        placedAt,
      });
    };

    const draft = place();
    const { email, phone } = request.customer;
    const assessment = await this.fraud.assess(store.id, {
      email,
      phone,
      address: request.address,
      total: draft.total.minor,
      quantities: lines.map(({ quantity }) => quantity),
    });
    if (assessment.verdict === 'REJECT') {
      // Should the record arrive after all, it is true: an order of that id is never placed.
      const record = () => deadline.bound(this.fraud.recordRejection(store.id, draft.id, assessment));
      return this.refuse(new OrderRejected(), keyed, deadline, record);
    }

    for (let attempt = 1, order = draft; ; attempt++, order = place()) {
      const placement = { order, assessment, keyed, response: command.render(order) };
      try {
        return await this.commit(placement, deadline);
      } catch (error) {
        if (!(error instanceof ReceiptNumberTaken) || attempt === RECEIPT_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Refuses an order, unless another request with the same key places it: that one was priced and screened earlier, when
   * nothing was wrong, and may still be waiting for its stock.
   *
   * @param record done when the order is refused for good.
   * @throws refusal when no other request placed the order.
   */
  private async refuse(
    refusal: Error,
    keyed: KeyedRequest | null,
    deadline: Deadline,
    record: () => Promise<void> = () => Promise.resolve(),
  ): Promise<CreatedOrder> {
    try {
      if (!keyed || !(refusal instanceof DomainError)) throw refusal;
      return await this.unitOfWork.run(async ({ idempotency }) => {
        const earlier = await idempotency.claim(keyed.scope, keyed.requestHash);
        if (earlier) return replay(earlier, keyed);
        throw refusal; // rolls the claim back: only a 201 keeps the key
      }, deadline);
    } catch (error) {
      if (error === refusal) await record();
      throw error;
    }
  }

  private async commit(placement: Placement, deadline: Deadline): Promise<CreatedOrder> {
    try {
      return await this.unitOfWork.run((transaction) => write(transaction, placement), deadline);
    } catch (error) {
      const { order, response } = placement;
      if (error instanceof OrderExists) return { response, replayed: false };
      if (!(error instanceof CommitOutcomeUnknown)) throw error;
      // The commit may have arrived although its answer did not. The order's id tells; and if the commit is still on its
      // way, the next attempt runs into the order that it is about to make.
      const isThere = this.orders.findById(order.storeId, order.id);
      if (await Deadline.in(Math.max(LOST_COMMIT_LOOK_UP_MS, deadline.remainingMs)).bound(isThere))
        return { response, replayed: false };
      if (deadline.remainingMs === 0) throw error;
      return this.commit(placement, deadline);
    }
  }
}

/** All that becomes of an order, or nothing. */
async function write(
  { idempotency, orders, stock, pipeline }: Transaction,
  { order, assessment, keyed, response }: Placement,
): Promise<CreatedOrder> {
  const earlier = keyed && (await idempotency.claim(keyed.scope, keyed.requestHash));
  // The record may be our own: of a commit whose answer was lost.
  if (earlier?.response.equals(Buffer.from(response))) return { response, replayed: false };
  if (earlier) return replay(earlier, keyed);

  // Sent together, and done in this order: if one fails, those after it do nothing.
  await inOrder([
    orders.insert(order, assessment),
    pipeline.enqueue(order.storeId, order.id, assessment),
    keyed && idempotency.store(keyed.scope, Buffer.from(response)),
    // Last, so that the rows other buyers want are held only until the commit that follows at once.
    stock.withdraw(order.storeId, order.id, sumDemand(order.lines)),
  ]);
  return { response, replayed: false };
}

function keyedRequest({ store, mode, request }: CreateOrderCommand, key: string): KeyedRequest {
  const requestHash = createHash('sha256').update(JSON.stringify(request)).digest();
  return { scope: { storeId: store.id, mode, key }, requestHash };
}

function replay({ requestHash, response }: IdempotencyRecord, repeated: KeyedRequest): CreatedOrder {
  if (!requestHash.equals(repeated.requestHash)) throw new IdempotencyMismatch();
  return { response, replayed: true };
}
