import { randomBytes } from 'node:crypto';
import {
  assertMetadataFits,
  costs,
  CurrencyMismatch,
  DomainError,
  ExternalReferenceTaken,
  ItemsUnavailable,
  newOrder,
  OrderRejected,
  OutOfStock,
  PriceChanged,
  QuantityNotOffered,
  RECEIPT_RANDOM_BYTES,
  receiptNumber,
  sumDemand,
  type Order,
  type ApiKeyMode,
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
import {
  OrderPlacement,
  ReceiptNumberTaken,
  type OrderClaim,
  type OrderReceipt,
  type PlacementOutcome,
} from '../ports/order-placement.js';
import { OrderQuotes, type QuoteRequest } from './order-quotes.js';

export interface OrderRequest extends QuoteRequest {
  readonly notes: string;
  /** Absent means no metadata. */
  readonly metadata?: Metadata;
  /** `''` means no reference. */
  readonly externalReference: string;
  /** The number of days until payment is due. When absent, the terms of the customer's account apply. */
  readonly paymentTermsDays?: number;
  /** False when the customer gets no confirmation. */
  readonly notify?: boolean;
  /** When absent, any total is accepted. */
  readonly expectedTotal?: Money;
  /** When absent, the store's currency applies. */
  readonly currency?: Currency;
}

export interface CreateOrderCommand {
  readonly store: { readonly id: number; readonly currency: Currency };
  readonly mode: ApiKeyMode;
  readonly placedBy?: string;
  readonly request: OrderRequest;
  readonly idempotency: IdempotentRequest | null;
  /** Limits the total wait. Nothing is written after it. */
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

interface Screened {
  readonly draft: Order;
  readonly quoted: Quoted;
  readonly assessment: FraudAssessment;
}

class Rejection extends OrderRejected {
  constructor(
    readonly orderId: string,
    readonly assessment: FraudAssessment,
  ) {
    super();
  }
}

const RECEIPT_ATTEMPTS = 3;

const QUARTER_HOUR_MS = 900_000;

@Injectable()
export class CreateOrder {
  constructor(
    private readonly quotes: OrderQuotes,
    private readonly fraud: FraudScreening,
    private readonly placement: OrderPlacement,
    private readonly clock: Clock,
  ) {}

  /**
   * Prices the items from the current catalog, screens the order and places it. After an error, except
   * CommitOutcomeUnknown, no order is written.
   * @throws MetadataTooLarge, AmbiguousSku, ItemsUnavailable, UnknownCustomer, CurrencyMismatch, QuantityNotOffered,
   * PriceChanged, OutOfStock, ExternalReferenceTaken
   * @throws ChargesUnavailable, or the DomainError with which the charges refuse the order
   * @throws OrderRejected when the store's fraud rules reject the order: the assessment is written.
   * @throws IdempotencyMismatch, IdempotencyInFlight
   * @throws DeadlineExceeded when the order's transaction cannot begin, or its rejection cannot be recorded, in time.
   */
  async execute(command: CreateOrderCommand): Promise<CreatedOrder> {
    const claim = claimOf(command);
    // A replay is looked up before pricing: the catalog may have changed since the first request.
    const replay = await this.placement.winnerOf(claim, 'once', command.deadline);
    const outcome = replay ?? (await this.placeUnlessRefused(command, claim));
    if (outcome.outcome === 'taken') throw new ExternalReferenceTaken(outcome.orderId);
    if (outcome.outcome === 'short') throw new OutOfStock(outcome.shortages);
    return { receipt: outcome.receipt, isReplay: outcome.outcome === 'replayed' };
  }

  /** @throws DomainError when the order is refused, unless another request with its key or reference has placed one. */
  private async placeUnlessRefused(command: CreateOrderCommand, claim: OrderClaim): Promise<PlacementOutcome> {
    const { store, deadline } = command;
    const screened = await this.screen(command).catch(async (refusal: unknown) => {
      if (!(refusal instanceof DomainError)) throw refusal;
      // The other request was priced and screened earlier: the catalog may have changed since.
      // @protects refusal-after-replay
      const winner = await this.placement.winnerOf(claim, 'wait', deadline);
      if (winner) return winner;
      // A record that arrives after the deadline is still true: an order with that id is never placed.
      if (refusal instanceof Rejection) {
        await deadline.bound(this.fraud.recordRejection(store.id, refusal.orderId, refusal.assessment));
      }
      throw refusal;
    });
    if ('outcome' in screened) return screened;

    const { quoted, assessment } = screened;
    for (let attempt = 1, order = screened.draft; ; attempt++, order = draftOf(command, quoted)) {
      const placement = { order, assessment, demand: sumDemand(order.lines), idempotency: claim.idempotency };
      try {
        return await this.placement.place(placement, deadline);
      } catch (error) {
        if (!(error instanceof ReceiptNumberTaken) || attempt === RECEIPT_ATTEMPTS) throw error;
      }
    }
  }

  /** @throws DomainError when the order is refused. */
  private async screen(command: CreateOrderCommand): Promise<Screened> {
    const { store, placedBy = null, request, deadline } = command;
    const { customer, address } = request;
    // The queries for prices, time and screening facts are sent together.
    const contact = { email: customer.email, phone: customer.phone, address };
    const screening = this.fraud.begin(store.id, contact, placedBy);
    const quoted = await deadline.bound(this.quote(command));
    const draft = draftOf(command, quoted);
    const assessment = await screening.assess({ total: draft.total.minor, items: draft.lines });
    if (assessment.verdict === 'REJECT') throw new Rejection(draft.id, assessment);
    return { draft, quoted, assessment };
  }

  /** @throws DomainError when the order cannot be priced as the client expects. */
  private async quote(command: CreateOrderCommand): Promise<Quoted> {
    const { store, request } = command;
    assertMetadataFits(metadataOf(request));
    const at = new Date();
    const [found, placedAt] = await Promise.all([this.quotes.price(command, at), this.clock.now()]);
    // The prices of an order are those of its date, which the clock of the database gives.
    // @protects price-at-date
    const priced = isOfSameDay(at, placedAt) ? found : await this.quotes.price(command, placedAt);
    const { lines, unavailable, notOffered = [] } = priced;
    if (unavailable.length > 0) throw new ItemsUnavailable(unavailable);
    if (!isCurrencyExpected(command)) throw new CurrencyMismatch(store.currency);
    if (notOffered.length > 0) throw new QuantityNotOffered(notOffered);
    const quote = await this.quotes.charge(command, lines);
    if (!costs(quote, request.expectedTotal)) throw new PriceChanged(quote.total);
    return { quote, placedAt };
  }
}

/** Returns whether no midnight of any time zone lies between the times. Midnight is at a full quarter of an hour in UTC. */
function isOfSameDay(one: Date, other: Date): boolean {
  const [first, second] = [one, other].map((time) => Math.floor(time.getTime() / QUARTER_HOUR_MS));
  return first === second;
}

/** Collects the metadata of the order and of its lines. */
export function metadataOf({ metadata, items }: OrderRequest): Metadata[] {
  return [metadata, ...items.map((item) => item.metadata)].filter((each) => each !== undefined);
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
    customerId: request.customerId ?? null,
    address: request.address,
    billing: request.billing,
    notes: request.notes,
    metadata: request.metadata ?? {},
    externalReference: request.externalReference,
    isTest: mode === 'test',
    lines: quote.lines,
    charges: quote.charges,
    hasGivenCharges: request.given !== undefined,
    notify: request.notify ?? true,
    placedAt,
    placedBy: placedBy ?? null,
    paymentTermsDays: request.paymentTermsDays ?? null,
  });
}

function claimOf({ store, mode, request, idempotency }: CreateOrderCommand): OrderClaim {
  return { storeId: store.id, isTest: mode === 'test', externalReference: request.externalReference, idempotency };
}
