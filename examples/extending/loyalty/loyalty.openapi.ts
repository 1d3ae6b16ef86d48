import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { NotFound } from 'store-commerce/domain';
import {
  ApiFailures,
  ApiSingle,
  integer,
  object,
  type Representation,
  type ResourceDocumentation,
  uuid,
} from 'store-commerce/api';
import { LoyaltySuspended, type LoyaltyAccount } from './loyalty-accounts.js';

export type LoyaltyResponse = ReturnType<typeof toLoyaltyResponse>;

export function toLoyaltyResponse({ customerId, points }: LoyaltyAccount) {
  return { customer_id: customerId, points };
}

const Loyalty: Representation<LoyaltyResponse> = {
  name: 'LoyaltyAccount',
  schema: object<LoyaltyResponse>({
    customer_id: uuid('The customer.'),
    points: integer('The points that the customer can spend.', 120),
  }),
  example: { customer_id: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', points: 120 },
};

export const LOYALTY_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Loyalty',
  description: 'The points of customers.',
  schemas: [Loyalty],
};

export const ApiGetLoyalty = () =>
  applyDecorators(
    ApiSingle({ operationId: 'getLoyaltyAccount', summary: 'The loyalty account of one customer', of: Loyalty }),
    ApiParam({ name: 'customer', description: 'The id of the customer.', schema: { type: 'string', format: 'uuid' } }),
    ApiFailures(new NotFound('Customer'), new LoyaltySuspended()),
  );
