import { flag, integer, object, representation, uuid, type ValueOf } from 'store-commerce/api';
import type { LoyaltyAccount } from './loyalty-accounts.js';

export const Loyalty = representation(
  'LoyaltyAccount',
  object({
    customer_id: uuid('The customer.'),
    points: integer('The points that the customer can spend.', 120),
    is_suspended: flag('Whether the customer collects and spends no points.'),
  }),
);
export type LoyaltyResponse = ValueOf<typeof Loyalty>;

export function toLoyaltyResponse({ customerId, points, isSuspended }: LoyaltyAccount): LoyaltyResponse {
  return { customer_id: customerId, points, is_suspended: isSuspended };
}
