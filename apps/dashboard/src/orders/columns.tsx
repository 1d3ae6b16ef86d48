import type { OrderListItem } from '../http.js';
import { Badge, PaymentBadge } from '../parts/badge.js';
import { Named } from '../parts/list.js';
import { money } from '../parts/money.js';
import type { Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { to } from '../route.js';
import { stateOf } from './stages.js';

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
