export interface Actor {
  readonly type: 'key' | 'person' | 'operator' | 'pipeline' | 'system';
  /** The id of the key or the person; `''` for any other actor. */
  readonly id: string;
  /**
   * The name of the key or the person, of the account that ran the command, or `extension:` followed by the name of an
   * extension.
   */
  readonly name: string;
}

/** @param name the program of another team, such as `stripe`. The history shows it after `extension:`. */
export function extensionActor(name: string): Actor {
  return { type: 'system', id: '', name: `extension:${name}` };
}

export const ORDER_EVENTS = [
  'placed',
  'imported',
  'status_changed',
  'held',
  'released',
  'contact_changed',
  'billing_changed',
  'terms_changed',
  'cancelled',
  'units_cancelled',
  'lines_changed',
  'shipment_created',
  'shipment_changed',
  'shipment_refused',
  'payment_recorded',
  'payment_refused',
  'refund_recorded',
  'noted',
  'metadata_changed',
  'mail_requested',
] as const;
export type OrderEventName = (typeof ORDER_EVENTS)[number];

export type StatusField = 'status' | 'fulfillmentStatus';

export interface OrderEvent {
  readonly event: OrderEventName;
  /** The status that a `status_changed` event changed; null for all other events. */
  readonly field: StatusField | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The shipment, payment or refund that the event is about or follows from; `''` for none. */
  readonly reference: string;
  /** Contains amounts in minor units, and no personal data except in `reason` and `metadata`. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function orderEvent(event: OrderEventName, reference = '', details: OrderEvent['details'] = {}): OrderEvent {
  return { event, field: null, from: null, to: null, reference, details };
}

/** Makes one event for each step that changes the status. */
export function statusEvents(field: StatusField, steps: readonly string[], reference: string): OrderEvent[] {
  return steps.slice(1).flatMap((to, index) => {
    const from = steps[index] ?? '';
    return from === to ? [] : [{ event: 'status_changed' as const, field, from, to, reference, details: {} }];
  });
}
