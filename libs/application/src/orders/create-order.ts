import { randomBytes } from 'node:crypto';
import {
  costs,
  CurrencyMismatch,
  DomainError,
  ExternalReferenceTaken,
  ItemsUnavailable,
  newOrder,
  OrderRejected,
  OutOfStock,
  PriceChanged,
  RECEIPT_RANDOM_BYTES,
  receiptNumber,
  sumDemand,
  type Order,
  type ApiKeyMode,
  type BillingAddress,
  type Currency,
  type FraudAssessment,
  type Metadata,
  type Money,
  type Quote,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Deadline } from '../deadline.js';
import { Clock } from '../ports/clock.js';
import { FraudScreening } from '../ports/fraud-screening.js';
import type { IdempotentRequest } from '../ports/idempotency.js';
import { OrderPlacement, receiptOf, ReceiptNumberTaken, type OrderReceipt } from '../ports/order-placement.js';
import { requestHashOf } from '../request-hash.js';
import { OrderQuotes, type QuoteRequest } from './order-quotes.js';

export interface OrderRequest extends QuoteRequest {
  /** Null = that of the shipment. */
  readonly billing: BillingAddress | null;
  readonly notes: string;
  /** Absent when there is none. */
  readonly metadata?: Metadata;
  /** `''` when there is none. */
  readonly externalReference: string;
  /** False when the customer gets no confirmation. */
  readonly notify?: boolean;
  /** Absent when any total will do. */
  readonly expectedTotal?: Money;
  /** Absent when that of the store will do. */
  readonly currency?: Currency;
}

export interface CreateOrderCommand {
  readonly store: { readonly id: number; readonly currency: Currency };
  readonly mode: ApiKeyMode;
  readonly placedBy?: string;
  readonly request: OrderRequest;
  readonly idempotencyKey: string | null;
  /** Limits the whole wait; no order is written once it has passed. */
  readonly deadline: Deadline;
}

export interface CreatedOrder {
  readonly receipt: OrderReceipt;
  readonly isReplay: boolean;
}

interface Quoted {
  readonly quote: Quote;
  readonly placedAt: Date;
}

const RECEIPT_ATTEMPTS = 3;

@Injectable()
export class CreateOrder {
  constructor(
    private readonly quotes: OrderQuotes,
    private readonly fraud: FraudScreening,
    private readonly placement: OrderPlacement,
    private readonly clock: Clock,
  ) {}

  /**
   * Prices the items from the live catalog, screens the order and places it. After an error, except
   * CommitOutcomeUnknown, no order is written.
   * @throws AmbiguousSku, ItemsUnavailable, CurrencyMismatch, PriceChanged, OutOfStock, ExternalReferenceTaken
   * @throws ChargesUnavailable, or the DomainError by which the charges refuse the order
   * @throws OrderRejected when the store's fraud rules reject the order: the assessment is written.
   * @throws IdempotencyMismatch, IdempotencyInFlight
   * @throws DeadlineExceeded when the order's transaction cannot begin, or its rejection cannot be recorded, in time.
   */
  async execute(command: CreateOrderCommand): Promise<CreatedOrder> {
    const { store, placedBy = null, request, deadline } = command;
    const idempotency = idempotentRequest(command);

    // A replay comes before pricing: the catalog may have changed since the first request.
    const replay = idempotency && (await deadline.bound(this.placement.findReplay(idempotency)));
    if (replay) return { receipt: replay, isReplay: true };

    // The queries for the prices, the time and the facts of the screening are sent together.
    const { customer, address } = request;
    const contact = { email: customer.email, phone: customer.phone, address };
    const screening = this.fraud.begin(store.id, contact, placedBy);
    const quoted = await deadline.bound(this.quote(command)).catch((error: unknown) => {
      if (error instanceof DomainError) return error;
      throw error;
    });
    if (quoted instanceof DomainError) return this.refuse(quoted, command, idempotency);

    const draft = draftOf(command, quoted);
    const assessment = await screening.assess({ total: draft.total.minor, items: draft.lines });
    if (assessment.verdict === 'REJECT') {
      // A record that arrives after the deadline is still true: an order of that id is never placed.
      const record = () => deadline.bound(this.fraud.recordRejection(store.id, draft.id, assessment));
      return this.refuse(new OrderRejected(), command, idempotency, record);
    }

    for (let attempt = 1, order = draft; ; attempt++, order = draftOf(command, quoted)) {
      try {
        return await this.place(order, assessment, idempotency, deadline);
      } catch (error) {
        if (!(error instanceof ReceiptNumberTaken) || attempt === RECEIPT_ATTEMPTS) throw error;
      }
    }
  }

  /** @throws DomainError when the order is refused. */
  private async quote(command: CreateOrderCommand): Promise<Quoted> {
    const { store, request } = command;
    const [{ lines, unavailable }, placedAt] = await Promise.all([this.quotes.price(command), this.clock.now()]);
    if (unavailable.length > 0) throw new ItemsUnavailable(unavailable);
    if (!isCurrencyExpected(command)) throw new CurrencyMismatch(store.currency);
    const quote = await this.quotes.charge(command, lines);
    if (!costs(quote, request.expectedTotal)) throw new PriceChanged(quote.total);
    return { quote, placedAt };
  }

  private async place(
    order: Order,
    assessment: FraudAssessment,
    idempotency: IdempotentRequest | null,
    deadline: Deadline,
  ): Promise<CreatedOrder> {
    const demand = sumDemand(order.lines);
    const placed = await this.placement.place({ order, assessment, demand, idempotency }, deadline);
    if (placed.outcome === 'short') throw new OutOfStock(placed.shortages);
    return placed.outcome === 'replayed'
      ? { receipt: placed.receipt, isReplay: true }
      : { receipt: receiptOf(order), isReplay: false };
  }

  /**
   * Refuses an order, unless another request with the same key places it: that request was priced and screened earlier.
   * A client that repeats an order learns that its reference was placed, although the catalog has changed since.
   * @param record runs when no other request places the order.
   * @throws ExternalReferenceTaken, or the refusal
   */
  private async refuse(
    refusal: DomainError,
    { store, mode, request, deadline }: CreateOrderCommand,
    idempotency: IdempotentRequest | null,
    record: () => Promise<void> = () => Promise.resolve(),
  ): Promise<CreatedOrder> {
    // @protects refusal-after-replay
    const replay = idempotency && (await this.placement.awaitReplay(idempotency, deadline));
    if (replay) return { receipt: replay, isReplay: true };
    const { externalReference } = request;
    const reference = { storeId: store.id, isTest: mode === 'test', externalReference };
    const existing = externalReference && (await deadline.bound(this.placement.findByReference(reference)));
    if (existing) throw new ExternalReferenceTaken(existing);
    await record();
    throw refusal;
  }
}

export function isCurrencyExpected({ store, request }: Pick<CreateOrderCommand, 'store' | 'request'>): boolean {
  return request.currency === undefined || request.currency === store.currency;
}

function draftOf({ store, mode, placedBy, request }: CreateOrderCommand, { quote, placedAt }: Quoted): Order {
  return newOrder({
    id: uuidv7({ msecs: placedAt.getTime() }),
    storeId: store.id,
    receiptNumber: receiptNumber('WEBSITE', placedAt, randomBytes(RECEIPT_RANDOM_BYTES)),
    currency: store.currency,
    paymentMethod: request.paymentMethod,
    customer: request.customer,
    address: request.address,
    billing: request.billing,
    notes: request.notes,
    metadata: request.metadata ?? {},
    externalReference: request.externalReference,
    isTest: mode === 'test',
    lines: quote.lines,
    charges: quote.charges,
    notify: request.notify ?? true,
    placedAt,
    placedBy: placedBy ?? null,
  });
}

function idempotentRequest({ store, mode, request, idempotencyKey }: CreateOrderCommand): IdempotentRequest | null {
  if (idempotencyKey === null) return null;
  return { scope: { storeId: store.id, mode, key: idempotencyKey }, requestHash: requestHashOf(request) };
}
