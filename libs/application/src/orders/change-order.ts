import {
  cancelOrder,
  changedParts,
  changeLines,
  changeShipment,
  correctedContact,
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
  type Actor,
  type Cancellation,
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
import { OrdersService } from './orders.service.js';
import { requestHashOf } from '../request-hash.js';
import type { IdempotencyScope } from '../ports/idempotency.js';
import { FraudScreening } from '../ports/fraud-screening.js';
import { OrderQuotes, type ItemRequest } from './order-quotes.js';
import { OrderLifecycle, type ChangedOrder, type OrderTarget } from '../ports/order-lifecycle.js';

export interface ChangeContext {
  readonly order: OrderTarget;
  readonly actor: Actor;
  readonly idempotency: IdempotencyScope | null;
  readonly deadline?: Deadline;
}

export interface EditedLines extends Pick<LinesRequest, 'set' | 'expectedTotal'> {
  readonly add: readonly ItemRequest[];
}

export interface Note {
  readonly text: string;
  readonly metadata?: Metadata;
}

type WithoutHash<T> = Omit<T, 'requestHash'>;

/** Each method is one transaction, and throws what its decision and `OrderLifecycle.change` throw. */
@Injectable()
export class ChangeOrder {
  constructor(
    private readonly lifecycle: OrderLifecycle,
    private readonly quotes: OrderQuotes,
    private readonly orders: OrdersService,
    private readonly fraud: FraudScreening,
  ) {}

  ship(context: ChangeContext, request: WithoutHash<ShipmentRequest>): Promise<ChangedOrder> {
    const { items, status: _status, shippedAt: _at, ...identity } = request;
    const bins = (items ?? []).filter(({ from = [] }) => from.length > 0);
    const requestHash = hashOf(identity) + (bins.length > 0 ? hashOf(bins) : '');
    return this.run(context, ['ship', request], (order) => shipOrder(order, { ...request, requestHash }));
  }

  changeShipment(context: ChangeContext, reference: string, patch: ShipmentPatch): Promise<ChangedOrder> {
    return this.run(context, ['changeShipment', reference, patch], (order) => changeShipment(order, reference, patch));
  }

  cancel(
    context: ChangeContext,
    cancellation: Cancellation,
    items: readonly LineQuantity[] | null = null,
  ): Promise<ChangedOrder> {
    const request = ['cancel', cancellation, ...(items ? [items] : [])];
    return this.run(context, request, (order) => cancelOrder(order, cancellation, items));
  }

  move(context: ChangeContext, transition: Transition): Promise<ChangedOrder> {
    return this.run(context, ['move', transition], (order) => moveStatus(order, transition));
  }

  setStatus(context: ChangeContext, change: Partial<OrderState>): Promise<ChangedOrder> {
    return this.run(context, ['setStatus', change], (order) => setStatuses(order, change));
  }

  /** @param currency of the store, whose live catalog prices the added lines. */
  async changeLines(context: ChangeContext, currency: Currency, request: EditedLines): Promise<ChangedOrder> {
    const { order, deadline } = context;
    const pricing = this.quotes.price(
      { store: { id: order.storeId, currency }, request: { items: request.add } },
      'add',
    );
    const { lines, unavailable } = await (deadline ? deadline.bound(pricing) : pricing);
    const edit = { ...request, add: lines, unavailable, currency };
    return this.run(context, ['changeLines', request], (placed) => changeLines(placed, edit));
  }

  hold(context: ChangeContext, reason: string): Promise<ChangedOrder> {
    return this.run(context, ['hold', reason], (order) => holdOrder(order, reason));
  }

  release(context: ChangeContext): Promise<ChangedOrder> {
    return this.run(context, ['release'], releaseOrder);
  }

  pay(context: ChangeContext, request: WithoutHash<PaymentRequest>): Promise<ChangedOrder> {
    const { at: _at, ...identity } = request;
    const requestHash = hashOf(identity);
    return this.run(context, ['pay', request], (order) => recordPayment(order, { ...request, requestHash }));
  }

  /** Calls no gateway. */
  refund(context: ChangeContext, request: WithoutHash<RefundRequest>): Promise<ChangedOrder> {
    const { at: _at, lines, ...identity } = request;
    const requestHash = hashOf(identity) + (lines ? hashOf(lines) : '');
    return this.run(context, ['refund', request], (order) => recordRefund(order, { ...request, requestHash }));
  }

  async patch(context: ChangeContext, patch: OrderPatch): Promise<ChangedOrder> {
    // Before the order is locked: the analysis reads on another connection, for up to 2 s.
    const screened = await this.screenContact(context.order, patch.contact);
    return this.run(context, ['patch', patch], (order) => patchOrder(order, patch, screened));
  }

  note(context: ChangeContext, { text, metadata }: Note): Promise<ChangedOrder> {
    const noted = orderEvent('noted', '', { reason: text, ...(metadata && { metadata }) });
    return this.run(context, ['note', text, metadata], (order) => ({ ...order.unchanged(), events: [noted] }));
  }

  repeatMail(context: ChangeContext, mail: MailOfOrder): Promise<ChangedOrder> {
    return this.run(context, ['repeatMail', mail], (order) => repeatMail(order, mail));
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

  private run(
    { order, idempotency: scope, ...context }: ChangeContext,
    request: readonly unknown[],
    decide: (order: PlacedOrder) => OrderChange,
  ): Promise<ChangedOrder> {
    const requestHash = requestHashOf([order.reference.toLowerCase(), ...request]);
    return this.lifecycle.change({ ...context, order, decide, idempotency: scope && { scope, requestHash } });
  }
}

function hashOf(request: unknown): string {
  return requestHashOf(request).toString('base64');
}
