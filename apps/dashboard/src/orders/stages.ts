import { mode, type Order, type OrderQuery } from '../http.js';

export const STAGES = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'] as const;
export const PAYMENTS = ['PENDING', 'SUCCEEDED', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;

/** What the badge of an order shows: that it is under review comes before its stage. */
export const stateOf = (order: { fulfillment_status: string; held?: boolean }): { state: string; word?: string } => {
  if (order.held) return { state: 'held', word: 'under review' };
  return order.fulfillment_status === 'PENDING'
    ? { state: 'PENDING', word: 'to ship' }
    : { state: order.fulfillment_status };
};

export type Queue = 'ship' | 'review' | 'refund' | 'all';

/** The work queues, each with its filter of `GET /v1/orders`. */
export const QUEUES: Readonly<Record<Queue, { readonly name: string; readonly filter: OrderQuery }>> = {
  ship: { name: 'To ship', filter: { fulfillment_status: ['PENDING', 'CONFIRMED', 'PROCESSING'], held: false } },
  review: { name: 'Under review', filter: { held: true } },
  refund: { name: 'To pay back', filter: { refund_due: true } },
  all: { name: 'All', filter: {} },
};

export const INCLUDE: OrderQuery['include'] = ['held', 'units', 'refund_due', 'external_reference', 'is_test'];
export const ONLY_MODE = { is_test: mode === 'test' };

export type Line = Order['line_items'][number];
/** Units of a line that are still to ship. `quantity` is without those that were given up. */
export const leftOf = (line: Line): number => line.quantity - line.shipped_quantity;

/** What a payment would pay. */
export const stillOwed = ({ amount_owed, amount_paid }: Order): number => Math.max(0, amount_owed - amount_paid);

/** What tells a line from others with its name. */
export const describe = ({ sku, attributes }: Pick<Line, 'sku' | 'attributes'>): string =>
  [sku, ...Object.values(attributes)].filter(Boolean).join(' · ');

export const isHeld = ({ pipeline }: Order): boolean => pipeline.some(({ state }) => state === 'held');
