import type { CustomerRecord } from '@app/application';
import { arrayOf, flag, integer, minorUnits, object, orNull, text, timestamp, uuid } from '../openapi/schema.js';

export type CustomerResponse = ReturnType<typeof toCustomerResponse>;

/** Operational fields only. `total_spent` is in minor units. */
export function toCustomerResponse(customer: CustomerRecord) {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    status: customer.status,
    email_verified: customer.emailVerified,
    loyalty_points: customer.loyaltyPoints,
    total_spent: customer.totalSpent,
    tags: customer.tags,
    city: customer.city,
    created_at: customer.createdAt.toISOString(),
    last_login: customer.lastLogin?.toISOString() ?? null,
  };
}

export const CUSTOMER = object<CustomerResponse>({
  id: uuid('The customer.'),
  name: text('Display name.', 'Ada Lovelace'),
  email: text('`""` when there is none.', 'ada@example.com'),
  phone: text('`""` when there is none.', '+44 20 7946 0000'),
  status: text('Account status, as the store defines it.', 'Active'),
  email_verified: flag('Whether the customer has confirmed the e-mail address.'),
  loyalty_points: integer('Points of the loyalty programme.', 10),
  total_spent: minorUnits('Total spent in the store.'),
  tags: arrayOf({ type: 'string', examples: ['vip'] }, 'Labels given by the store.'),
  city: text('`""` when there is none.', 'London'),
  created_at: timestamp('When the account was created.'),
  last_login: orNull(timestamp('Last login; null when there was none.')),
});
