import {
  cancelOrder,
  changedParts,
  changeLines,
  changeShipment,
  correctedContact,
  datedChange,
  holdOrder,
  moveStatus,
  orderEvent,
  patchOrder,
  recordPayment,
  recordRefund,
  releaseOrder,
  repeatMail,
  setStatuses,
  shipOrder,
  withinLimits,
  type Actor,
  type Cancellation,
  type ChargeableOrder,
  type Charges,
  type ChargesOf,
  type ContactPatch,
  type Currency,
  type LineQuantity,
  type LinesRequest,
  type MailOfOrder,
  type Metadata,
  type OrderChange,
  type OrderPatch,
  type OrderState,
  type PaymentRequest,
  type PlacedOrder,
  type RefundRequest,
  type ScreenedContact,
  type ShipmentPatch,
  type ShipmentRequest,
  type Transition,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { Deadline } from '../deadline.js';
import { ChargesUnavailable } from '../failures.js';
import { OrdersService } from './orders.service.js';
import type { IdempotentRequest } from '../ports/idempotency.js';
import { FraudScreening } from '../ports/fraud-screening.js';
import { OrderQuotes, type ItemRequest } from './order-quotes.js';
import { OrderLifecycle, type ChangedOrder, type OrderTarget } from '../ports/order-lifecycle.js';

export interface ChangeContext {
  readonly order: OrderTarget;
  readonly actor: Actor;
  readonly idempotency: IdempotentRequest | null;
  readonly deadline?: Deadline;
  /** Writes nothing, and returns the order as it would be. */
  readonly isPreview?: boolean;
}

export interface Dated {
  /** The time that the change is dated to. Absent or null means now. */
  readonly at?: Date | null;
}

export interface EditedLines extends Dated, Pick<LinesRequest, 'set' | 'expectedTotal' | 'given' | 'mayGive'> {
  readonly add: readonly ItemRequest[];
}

export interface Note {
  readonly text: string;
  readonly metadata?: Metadata;
}

/** Interrupts a decision that needs the charges of the order. */
class ChargesMissing extends Error {
  constructor(readonly order: ChargeableOrder) {
    super('The charges are not known yet');
  }
}

/** Concurrent changes of the same order may each force another attempt. */
const MAX_CHARGE_ATTEMPTS = 20;

/** Each method writes in one transaction, and throws what its decision and `OrderLifecycle.change` throw. */
@Injectable()
export class ChangeOrder {
  constructor(
    private readonly lifecycle: OrderLifecycle,
    private readonly quotes: OrderQuotes,
    private readonly orders: OrdersService,
    private readonly fraud: FraudScreening,
  ) {}

  ship(context: ChangeContext, request: ShipmentRequest): Promise<ChangedOrder> {
    return this.run(context, (order) => shipOrder(order, request));
  }

  changeShipment(context: ChangeContext, reference: string, patch: ShipmentPatch): Promise<ChangedOrder> {
    return this.run(context, (order) => changeShipment(order, reference, patch));
  }

  cancel(
    context: ChangeContext,
    { at, ...cancellation }: Cancellation & Dated,
    items: readonly LineQuantity[] | null = null,
  ): Promise<ChangedOrder> {
    return this.run(context, (order) => cancelOrder(order, cancellation, items), at);
  }

  move(context: ChangeContext, transition: Transition): Promise<ChangedOrder> {
    return this.run(context, (order) => moveStatus(order, transition));
  }

  setStatus(context: ChangeContext, change: Partial<OrderState>): Promise<ChangedOrder> {
    return this.run(context, (order) => setStatuses(order, change));
  }

  /** @param currency the currency of the store, whose current catalog prices the added lines. */
  async changeLines(context: ChangeContext, currency: Currency, request: EditedLines): Promise<ChangedOrder> {
    const { order, deadline } = context;
    // The order is read before it is locked: what another change adds meanwhile does not count.
    const orderOf = () => this.orders.retrieve(order.storeId, order.reference);
    const pricing = this.quotes.priceEdit({ id: order.storeId, currency }, request, orderOf);
    const { lines, unavailable, notOffered } = await (deadline ? deadline.bound(pricing) : pricing);
    const edit = { ...request, add: lines, unavailable, notOffered, currency };
    const decide = (placed: PlacedOrder, chargesOf: ChargesOf) => changeLines(placed, edit, chargesOf);
    return this.runCharged(context, decide, request.at);
  }

  hold(context: ChangeContext, reason: string): Promise<ChangedOrder> {
    return this.run(context, (order) => holdOrder(order, reason));
  }

  release(context: ChangeContext): Promise<ChangedOrder> {
    return this.run(context, releaseOrder);
  }

  pay(context: ChangeContext, request: PaymentRequest): Promise<ChangedOrder> {
    return this.run(context, (order) => recordPayment(order, request), request.at);
  }

  /** Records a refund. It calls no payment gateway. */
  refund(context: ChangeContext, request: RefundRequest): Promise<ChangedOrder> {
    return this.run(context, (order) => recordRefund(order, request), request.at);
  }

  async patch(context: ChangeContext, patch: OrderPatch): Promise<ChangedOrder> {
    // The contact is screened before the order is locked: the analysis uses another connection, for up to 2 s.
    const screened = await this.screenContact(context.order, patch.contact);
    return this.runCharged(context, (order, chargesOf) => patchOrder(order, patch, screened, chargesOf));
  }

  note(context: ChangeContext, { text, metadata }: Note): Promise<ChangedOrder> {
    const noted = orderEvent('noted', '', { reason: text, ...(metadata && { metadata }) });
    return this.run(context, (order) => ({ ...order.unchanged(), events: [noted] }));
  }

  repeatMail(context: ChangeContext, mail: MailOfOrder): Promise<ChangedOrder> {
    return this.run(context, (order) => repeatMail(order, mail));
  }

  /** @returns null without a contact, and for an order that was placed without an analysis. */
  private async screenContact(
    { storeId, reference }: OrderTarget,
    patch: ContactPatch,
  ): Promise<ScreenedContact | null> {
    if (Object.keys({ ...patch.customer, ...patch.shippingAddress }).length === 0) return null;
    const order = await this.orders.retrieve(storeId, reference);
    if (!order.fraud) return null;
    const contact = correctedContact(order, patch);
    const { email, phone } = contact.customer;
    const signals = { email, phone, address: contact.shippingAddress, total: order.totalAmount, items: order.lines };
    const placed = { orderId: order.id, at: order.createdAt };
    const { verdict: before, reasons } = order.fraud;
    const correction = { changed: changedParts(order, contact), reasons };
    const assessment = await this.fraud.reassess(storeId, signals, placed, correction);
    return { contact, assessment, before };
  }

  /**
   * Requests charges without the lock of the order. When a decision needs them, the transaction ends, and the decision
   * is repeated with them. @throws ChargesUnavailable, also when another change of the order intervenes in every
   * attempt.
   */
  private async runCharged(
    context: ChangeContext,
    decide: (order: PlacedOrder, chargesOf: ChargesOf) => OrderChange,
    at: Date | null = null,
  ): Promise<ChangedOrder> {
    const received = new Map<string, Charges>();
    const chargesOf = (order: ChargeableOrder): Charges => {
      const charges = received.get(JSON.stringify(order));
      if (!charges) throw new ChargesMissing(order);
      return charges;
    };
    for (;;) {
      try {
        return await this.run(context, (order) => decide(order, chargesOf), at);
      } catch (error) {
        if (!(error instanceof ChargesMissing)) throw error;
        if (received.size === MAX_CHARGE_ATTEMPTS) throw new ChargesUnavailable({ cause: error });
        const asked = this.quotes.chargesOf(context.order.storeId, error.order);
        const charges = await (context.deadline ? context.deadline.bound(asked) : asked);
        received.set(JSON.stringify(error.order), charges);
      }
    }
  }

  private run(
    context: ChangeContext,
    decide: (order: PlacedOrder) => OrderChange,
    at: Date | null = null,
  ): Promise<ChangedOrder> {
    const time = { at, now: new Date() };
    const decided = (placed: PlacedOrder) => datedChange(placed, withinLimits(placed, decide(placed)), time);
    return this.lifecycle.change({ ...context, decide: decided });
  }
}
