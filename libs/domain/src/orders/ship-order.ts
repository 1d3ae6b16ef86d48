import {
  AlreadyShipped,
  DeliveredTooEarly,
  IllegalTransition,
  OrderCancelled,
  OrderCredited,
  OrderHeld,
  ShipmentReferenceTaken,
  ShipmentVoid,
} from './change-errors.js';
import { NotFound } from '../shared/request-errors.js';
import type { DomainError } from '../shared/domain-error.js';
import { covers, isSameUnits, sumByLine, type LineQuantity } from './line-units.js';
import type { EffectOf, RecordedShipment, OrderChange, Repeatable } from './order-change.js';
import { orderEvent, type OrderEvent } from './order-event.js';
import { furtherOf } from './order-status.js';
import type { PlacedOrder } from './placed-order.js';
import { isVoid, type BinUnits, type PickedUnits, type ShipmentStatus, type Tracking } from './shipment.js';

export interface ShipmentItem extends LineQuantity {
  /** The bins that all these units were picked from. When absent, they come from the bins that the order reserved. */
  readonly from?: readonly BinUnits[];
}

export interface ShipmentRequest extends Tracking, Repeatable {
  readonly reference: string;
  /** Null ships everything that is left. */
  readonly items: readonly ShipmentItem[] | null;
  readonly status: 'picking' | 'shipped';
  /** Null means now. */
  readonly shippedAt: Date | null;
  readonly notify: boolean;
}

/** Absent fields keep their value. */
export interface ShipmentPatch extends Partial<Tracking> {
  readonly status?: 'shipped' | 'delivered' | 'void';
  /** When it was shipped or delivered; null means now. */
  readonly at: Date | null;
}

type Shipping = Pick<EffectOf<'shipment'>, 'picked' | 'shipsPicked'>;

const SHIPMENT_TRANSITIONS: Record<ShipmentStatus, readonly ShipmentStatus[]> = {
  picking: ['shipped', 'void'],
  shipped: ['delivered', 'void'],
  delivered: [],
  void: [],
};

/**
 * A refusal because units are missing, or because the order is held or cancelled, is recorded: the parcel may already
 * have left.
 * @throws ShipmentReferenceTaken, ShipmentVoid, BeingPicked, NotFound
 */
export function shipOrder(order: PlacedOrder, request: ShipmentRequest): OrderChange {
  const { reference, status, shippedAt, items: requested, ...rest } = request;
  const existing = order.state.shipments.find((shipment) => shipment.reference === reference);
  if (existing?.status === 'void') throw new ShipmentVoid();
  if (existing) return repeatShipment(order, existing, request);

  const refused = (refusal: DomainError, details: object = {}): OrderChange => {
    const recorded = { code: refusal.code, ...(requested && { items: requested }), ...details };
    return { ...order.unchanged(), events: [orderEvent('shipment_refused', reference, recorded)], refusal };
  };
  if (order.isHeld) return refused(new OrderHeld());
  if (order.isCancelled) return refused(new OrderCancelled());
  if (order.isCredited) return refused(new OrderCredited());

  const { unclaimedUnits, unshippedUnits } = order;
  const items = sumByLine(requested ?? unclaimedUnits);
  order.assertLines(items);
  // @protects unshipped-units
  if (items.length === 0 ? unshippedUnits.length === 0 : !covers(unshippedUnits, items)) {
    return refused(new AlreadyShipped(unshippedUnits), { left: unshippedUnits });
  }
  // @protects unclaimed-units
  if (items.length === 0 || !covers(unclaimedUnits, items)) throw order.beingPicked();

  const isShipped = status === 'shipped';
  const shipment = { ...rest, reference, status, items, shippedAt: isShipped ? shippedAt : null, deliveredAt: null };
  const created = [orderEvent('shipment_created', reference, { status, items })];
  return changeWith(order, shipment, created, { ships: isShipped, picked: pickedOf(order, requested) });
}

/** @throws UnitsWithoutBin when an imported order names bins. */
function pickedOf(order: PlacedOrder, items: readonly ShipmentItem[] | null): PickedUnits[] {
  const picked = (items ?? []).flatMap(({ line, from = [] }) => from.map((units) => ({ ...units, line })));
  if (picked.length > 0) order.assertHasTakenStock();
  return picked;
}

/**
 * A request for the same units ships a shipment that is being picked. A shipment that has left does not return to
 * picking.
 */
function repeatShipment(order: PlacedOrder, existing: RecordedShipment, request: ShipmentRequest): OrderChange {
  const { items, status, shippedAt, carrier, trackingNumber, trackingUrl, notify, requestHash } = request;
  if (items && !isSameUnits(existing.items, items)) throw new ShipmentReferenceTaken();
  const isPicked = existing.status === 'picking';
  if (!isPicked && status === 'picking') return order.unchanged();
  if (!isPicked || status === 'picking') return order.repeated(existing, request, new ShipmentReferenceTaken());

  const given = Object.entries({ carrier, trackingNumber, trackingUrl }).filter(([, text]) => text !== '');
  const picked = { ...existing, notify: existing.notify && notify, requestHash };
  const patch = { ...Object.fromEntries(given), status: 'shipped' as const, at: shippedAt };
  return changeFrom(order, picked, patch, { picked: pickedOf(order, items), shipsPicked: true });
}

/** Voiding a shipment returns its units to the order. @throws NotFound, IllegalTransition, DeliveredTooEarly */
export function changeShipment(order: PlacedOrder, reference: string, patch: ShipmentPatch): OrderChange {
  const before = order.state.shipments.find((shipment) => shipment.reference === reference);
  if (!before) throw new NotFound('Shipment');
  return changeFrom(order, before, patch);
}

function changeFrom(
  order: PlacedOrder,
  before: RecordedShipment,
  { status, at, ...tracking }: ShipmentPatch,
  how: Partial<Shipping> = {},
): OrderChange {
  const { reference } = before;
  const moves = status !== undefined && status !== before.status;
  if (moves) assertMove(order, before, status);
  const { shippedAt } = before;
  if (moves && status === 'delivered' && at && shippedAt && at < shippedAt) throw new DeliveredTooEarly(shippedAt);
  const changed = Object.entries(tracking).filter(([name, value]) => before[name as keyof Tracking] !== value);
  if (!moves && changed.length === 0) return order.unchanged();

  const after = {
    ...before,
    ...Object.fromEntries(changed),
    ...(moves && { status }),
    ...(moves && status === 'shipped' && { shippedAt: at }),
    ...(moves && status === 'delivered' && { deliveredAt: at }),
  };
  const shipped = order.shippedUnits(order.shipmentsWith(after));
  const isKept = covers(shipped, order.returnedUnits) && covers(shipped, order.refundedShippedUnits);
  if (after.status === 'void' && !isKept) {
    throw new IllegalTransition('shipment', before.status, 'void', ['delivered']);
  }

  const details = {
    ...(moves && { from: before.status, to: status }),
    ...(changed.length > 0 && { changed: changed.map(([name]) => name) }),
  };
  const events = [orderEvent('shipment_changed', reference, details)];
  if (!moves) return { ...order.unchanged(), events, effects: [effectFor(after)], isEndless: true };
  return changeWith(order, after, events, { ...how, ships: status === 'shipped' });
}

function assertMove(order: PlacedOrder, { status: from }: RecordedShipment, to: ShipmentStatus): void {
  // Returned units have been with the customer, so their shipment cannot be void. Units that are being picked have not
  // left.
  const cannotBeVoid = order.state.fulfillmentStatus === 'RETURNED' && from !== 'picking';
  const possible = SHIPMENT_TRANSITIONS[from].filter((next) => !(cannotBeVoid && next === 'void'));
  if (!possible.includes(to)) throw new IllegalTransition('shipment', from, to, possible);
}

function changeWith(
  order: PlacedOrder,
  shipment: RecordedShipment,
  events: readonly OrderEvent[],
  { ships, ...how }: Partial<Shipping> & { readonly ships: boolean },
): OrderChange {
  const { reference } = shipment;
  const { status, fulfillmentStatus: present } = order.state;
  const reached = order.fulfillmentWith(order.shipmentsWith(shipment));
  // An operator may have set the order to a later status. Only a void shipment takes it back.
  const after = { status, fulfillmentStatus: isVoid(shipment) ? reached : furtherOf(reached, present) };
  return {
    ...after,
    events: [...events, ...order.statusEventsTo(after, reference)],
    effects: [
      effectFor(shipment, how),
      ...(ships && shipment.notify ? [{ kind: 'mail', stage: 'notify-shipment', reference } as const] : []),
    ],
  };
}

function effectFor(
  shipment: RecordedShipment,
  { picked = [], shipsPicked = false }: Partial<Shipping> = {},
): EffectOf<'shipment'> {
  return { kind: 'shipment', shipment, picked, shipsPicked };
}
