/** Who changed an order. */
export interface Actor {
  readonly type: 'key' | 'operator' | 'pipeline' | 'system';
  /** Of the key; `''` for the others. */
  readonly id: string;
  /** Of the key, or of the account that ran the command. */
  readonly name: string;
}

export const ORDER_EVENTS = [
  'placed',
  'imported',
  'status_changed',
  'released',
  'cancelled',
  'shipment_created',
  'shipment_changed',
  'shipment_refused',
  'payment_recorded',
  'payment_refused',
  'refund_recorded',
] as const;
export type OrderEventName = (typeof ORDER_EVENTS)[number];

/** An event in the history of an order. */
export interface OrderEvent {
  readonly event: OrderEventName;
  /** What a `status_changed` changed; null for the other events. */
  readonly field: 'status' | 'fulfillment_status' | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The shipment, payment or refund that the event is about, or follows from; `''` for none. */
  readonly reference: string;
  /** Names in snake_case, amounts in minor units. No personal data, except `reason`. */
  readonly details: Readonly<Record<string, unknown>>;
}
