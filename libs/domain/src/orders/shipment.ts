import type { LineQuantity } from './line-units.js';

export const SHIPMENT_STATUSES = ['picking', 'shipped', 'delivered', 'void'] as const;
export type ShipmentStatus = (typeof SHIPMENT_STATUSES)[number];

/** An absent value is `''`. */
export interface Tracking {
  readonly carrier: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
}

export interface BinCodes {
  readonly warehouse: string;
  readonly bin: string;
}

export interface BinUnits extends BinCodes {
  readonly quantity: number;
}

export interface PickedUnits extends BinUnits {
  readonly line: number;
}

export interface Shipment extends Tracking {
  /** Unique in the order, and never reused. */
  readonly reference: string;
  readonly status: ShipmentStatus;
  /** The shipped units of each line. */
  readonly items: readonly LineQuantity[];
  /** Is null until the shipment leaves. */
  readonly shippedAt: Date | null;
  readonly deliveredAt: Date | null;
}

export function isVoid({ status }: Pick<Shipment, 'status'>): boolean {
  return status === 'void';
}

export function isShipped({ status }: Pick<Shipment, 'status'>): boolean {
  return status === 'shipped' || status === 'delivered';
}

/** Whether an operator or another system set the whole order as shipped, without shipments. */
export function isShippedWhole(fulfillmentStatus: string, shipments: readonly Pick<Shipment, 'status'>[]): boolean {
  return ['SHIPPED', 'DELIVERED', 'RETURNED'].includes(fulfillmentStatus) && shipments.every(isVoid);
}
