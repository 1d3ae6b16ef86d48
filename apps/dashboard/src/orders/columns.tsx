import type { OrderListItem } from '../http.js';
import { Badge, PaymentBadge } from '../parts/badge.js';
import { money } from '../parts/money.js';
import type { Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { to } from '../route.js';
import { stateOf } from './stages.js';

export const COLUMNS: readonly Column<OrderListItem>[] = [
  {
    name: 'Order',
    cell: (order) => (
      <>
        <a href={to(`/orders/${order.receipt_number}`)}>{order.receipt_number}</a>
        {order.external_reference && <small>{order.external_reference}</small>}
      </>
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
