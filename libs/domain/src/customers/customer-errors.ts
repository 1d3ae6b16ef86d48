import { rejected } from '../shared/domain-error.js';
import { ACCOUNT_SIZE } from './customer-limits.js';

/** Personal data is found by e-mail address. */
export const CustomerWithoutEmail = rejected('no_email', 'The customer has no e-mail');

export const CustomerTooLarge = rejected(
  'customer_too_large',
  `A customer can have at most ${ACCOUNT_SIZE} of addresses and contacts: shorten or remove some`,
);

const MAX_NAMED = 20;

/** An erasure would remove data that open orders still need. */
export const OrdersOpen = rejected(
  'orders_open',
  (orders: readonly { receiptNumber: string; status: string; fulfillmentStatus: string }[]) => {
    const named = orders
      .slice(0, MAX_NAMED)
      .map(({ receiptNumber, status, fulfillmentStatus }) => `${receiptNumber} (${status}, ${fulfillmentStatus})`);
    const more = orders.length > MAX_NAMED ? [`and ${orders.length - MAX_NAMED} more`] : [];
    return `The customer has open orders: ${[...named, ...more].join(', ')}`;
  },
);
