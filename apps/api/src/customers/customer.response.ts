import type { CustomerRecord } from '@app/application';

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
