import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { CUSTOMER, type CustomerResponse } from './customer.response.js';

const Customer: Representation<CustomerResponse> = {
  name: 'Customer',
  schema: CUSTOMER,
  money: 'minor',
  example: {
    id: '0198e7d4-5c21-7a10-8f3b-6d9e2c4b7a15',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    phone: '+1 555 0100',
    status: 'Active',
    email_verified: true,
    loyalty_points: 10,
    total_spent: 15980,
    tags: ['vip'],
    city: 'Portland',
    created_at: '2026-03-02T10:15:00.000Z',
    last_login: null,
  },
};

export const CUSTOMERS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Customers',
  description: "The store's customers: operational fields only.",
  schemas: [Customer],
};

export const ApiListCustomers = () =>
  ApiList({
    operationId: 'listCustomers',
    summary: 'Customers, newest first',
    of: Customer,
  });

export const ApiGetCustomer = () =>
  ApiSingle({
    operationId: 'getCustomer',
    summary: 'One customer',
    of: Customer,
    by: { name: 'id', description: 'UUID.', example: 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7' },
  });
