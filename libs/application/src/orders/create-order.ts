import { randomBytes } from 'node:crypto';
import {
  costs,
  CurrencyMismatch,
  type DomainError,
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
  type OrderCustomer,
  type OrderLine,
  type PaymentMethod,
  type PostalAddress,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Deadline } from '../deadline.js';
import { CatalogPricing, type LineRequest } from '../ports/catalog-pricing.js';
import { Clock } from '../ports/clock.js';
import { FraudScreening } from '../ports/fraud-screening.js';
import type { IdempotentRequest } from '../ports/idempotency.js';
import { OrderPlacement, receiptOf, ReceiptNumberTaken, type OrderReceipt } from '../ports/order-placement.js';
import { requestHashOf } from '../request-hash.js';

export interface OrderRequest {
  readonly items: readonly LineRequest[];
  readonly customer: OrderCustomer;
  readonly address: PostalAddress;
  /** Null = that of the shipment. */
  readonly billing: BillingAddress | null;
  readonly paymentMethod: PaymentMethod;
  readonly notes: string;
  /** `''` when there is none. */
  readonly externalReference: string;
  /** In major units; absent when any total will do. */
  readonly expectedTotal?: number;
  /** Absent when that of the store will do. */
  readonly currency?: Currency;
}

export interface CreateOrderCommand {
  readonly store: { readonly id: number; readonly currency: Currency };
  readonly mode: ApiKeyMode;
  readonly keyId?: string;
  readonly request: OrderRequest;
  readonly idempotencyKey: string | null;
  /** Limits the whole wait; no order is written once it has passed. */
  readonly deadline: Deadline;
}

export interface CreatedOrder {
  readonly receipt: OrderReceipt;
  readonly isReplay: boolean;
}

const RECEIPT_ATTEMPTS = 3;

@Injectable()
export class CreateOrder {
  constructor(
    private readonly pricing: CatalogPricing,
    private readonly fraud: FraudScreening,
    private readonly placement: OrderPlacement,
    private readonly clock: Clock,
  ) {}

  /**
   * Prices the items from the live catalog, screens the order and places it. After an error, except
   * CommitOutcomeUnknown, no order is written.
   * @throws ItemsUnavailable, CurrencyMismatch, PriceChanged, OutOfStock, ExternalReferenceTaken
   * @throws OrderRejected when the store's fraud rules reject the order: the assessment is written.
   * @throws IdempotencyMismatch, IdempotencyInFlight
   * @throws DeadlineExceeded when the order's transaction cannot begin, or its rejection cannot be recorded, in time.
   */
  async execute(command: CreateOrderCommand): Promise<CreatedOrder> {
    const { store, keyId = null, request, deadline } = command;
    const idempotency = idempotentRequest(command);

    // A replay comes before pricing: the catalog may have changed since the first request.
    const replay = idempotency && (await deadline.bound(this.placement.findReplay(idempotency)));
    if (replay) return { receipt: replay, isReplay: true };

    // The queries for the prices, the time and the facts of the screening are sent together.
    const { customer, address } = request;
    const contact = { email: customer.email, phone: customer.phone, address };
    const screening = this.fraud.begin(store.id, contact, keyId);
    const pricing = Promise.all([this.pricing.price(store.id, store.currency, request.items), this.clock.now()]);
    const [{ lines, unavailable }, placedAt] = await deadline.bound(pricing);
    if (unavailable.length > 0) return this.refuse(new ItemsUnavailable(unavailable), command, idempotency);
    if (!isCurrencyExpected(command)) return this.refuse(new CurrencyMismatch(store.currency), command, idempotency);

    const draft = draftOf(command, lines, placedAt);
    if (!costs(draft, request.expectedTotal)) return this.refuse(new PriceChanged(draft.total), command, idempotency);

    const assessment = await screening.assess({ total: draft.total.minor, items: lines });
    if (assessment.verdict === 'REJECT') {
      // A record that arrives after the deadline is still true: an order of that id is never placed.
      const record = () => deadline.bound(this.fraud.recordRejection(store.id, draft.id, assessment));
      return this.refuse(new OrderRejected(), command, idempotency, record);
    }

    for (let attempt = 1, order = draft; ; attempt++, order = draftOf(command, lines, placedAt)) {
      try {
        return await this.place(order, assessment, idempotency, deadline);
      } catch (error) {
        if (!(error instanceof ReceiptNumberTaken) || attempt === RECEIPT_ATTEMPTS) throw error;
      }
    }
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

function draftOf(
  { store, mode, keyId, request }: CreateOrderCommand,
  lines: readonly OrderLine[],
  placedAt: Date,
): Order {
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
    externalReference: request.externalReference,
    isTest: mode === 'test',
    lines,
    placedAt,
    placedBy: keyId ?? null,
  });
}

function idempotentRequest({ store, mode, request, idempotencyKey }: CreateOrderCommand): IdempotentRequest | null {
  if (idempotencyKey === null) return null;
  return { scope: { storeId: store.id, mode, key: idempotencyKey }, requestHash: requestHashOf(request) };
}
