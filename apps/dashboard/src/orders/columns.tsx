import { mode, type Order, type OrderListItem, type OrderQuery } from '../http.js';
import { Named, type Column } from '../parts/list.js';
import { Badge, PaymentBadge } from '../parts/page.js';
import { money, Time } from '../parts/text.js';
import { to } from '../route.js';

export const STAGES = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'] as const;
export const PAYMENTS = ['PENDING', 'SUCCEEDED', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;

/** What the badge of an order shows: that it is under review comes before its stage. */
export const stateOf = (order: { fulfillment_status: string; held?: boolean }): { state: string; word?: string } => {
  if (order.held) return { state: 'held', word: 'under review' };
  return order.fulfillment_status === 'PENDING'
    ? { state: 'PENDING', word: 'to ship' }
    : { state: order.fulfillment_status };
};

export type Queue = 'ship' | 'review' | 'refund' | 'mail' | 'all';

/** The work queues, each with its filter of `GET /v1/orders`. */
export const QUEUES: Readonly<Record<Queue, { readonly name: string; readonly filter: OrderQuery }>> = {
  ship: { name: 'To ship', filter: { fulfillment_status: ['PENDING', 'CONFIRMED', 'PROCESSING'], held: false } },
  review: { name: 'Under review', filter: { held: true } },
  refund: { name: 'To pay back', filter: { refund_due: true } },
  mail: { name: 'Mail failed', filter: { mail_failed: true } },
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

export const COLUMNS: readonly Column<OrderListItem>[] = [
  {
    name: 'Order',
    cell: ({ receipt_number: name, external_reference }) => (
      <Named name={name} href={to(`/orders/${name}`)} small={[external_reference]} />
    ),
  },
  { name: 'Placed', cell: (order) => <Time at={order.created_at} /> },
  { name: 'Customer', cell: (order) => order.customer_name },
  { name: 'Payment', cell: (order) => <PaymentBadge state={order.status} /> },
  { name: 'Fulfilment', cell: (order) => <Badge {...stateOf(order)} /> },
  { name: 'Units', isNumber: true, cell: (order) => order.units },
  {
    name: 'Total',
    isNumber: true,
    cell: (order) => (
      <>
        {money(order.total_amount, order.currency)}
        {!!order.refund_due && <small class="bad">pay back {money(order.refund_due, order.currency)}</small>}
      </>
    ),
  },
];
