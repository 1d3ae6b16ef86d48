import {
  CommitOutcomeUnknown,
  DeadlineExceeded,
  IdempotencyInFlight,
  IdempotencyMismatch,
  Overloaded,
  Unavailable,
} from '@app/application';
import { InvalidOrderItems, NotFound, OrderRejected, OutOfStock } from '@app/domain';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { AuthenticationError } from '../errors/authentication-error.js';
import { TooManyRequests } from '../errors/too-many-requests.js';
import { list, single } from '../envelope.js';
import { DEFAULT_LIMIT } from '../query/query-reader.js';
import { headers, ref } from './components.js';
import { EXAMPLES } from './examples.js';
import { ApiFailures } from './failures.js';
import { ApiIdempotencyKey, ApiListParameters, ApiPrefer, ApiRequestId, type Filter } from './parameters.js';
import { object, type Schema } from './schema.js';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
}

/** Of any operation of the API. */
const COMMON_FAILURES = [
  new AuthenticationError('missing'),
  new AuthenticationError('unknown'),
  new AuthenticationError('inactive'),
  new AuthenticationError('store_inactive'),
  new TooManyRequests(1),
  new Error(),
  new Unavailable(),
  new DeadlineExceeded(),
  new Overloaded(),
];
const KEY_HEADERS = ['X-Request-Id', 'X-Traffic-Mode', 'X-Key-Expires-At'] as const;
const SUCCESS: Schema = { type: 'boolean', enum: [true] };

type Resource = keyof typeof EXAMPLES;
const MINOR = ' Money is in minor units: 1099 is 10.99 USD.';
const MAJOR = ' Money is in major units: 10.99 is 10.99 USD.';
const MONEY: Readonly<Partial<Record<Resource, string>>> = {
  OrderListItem: MINOR,
  Order: MINOR,
  Customer: MINOR,
  ProductListItem: MAJOR,
  Product: MAJOR,
};

/** A list of the named resource, page by page. */
export function ApiList({
  of,
  filters,
  ...operation
}: Operation & { of: Resource; filters: readonly Filter[] }): MethodDecorator {
  const data: Schema = { type: 'array', items: ref(of) };
  const pagination = ref('Pagination');
  const description = `One page of them. \`pagination.total\` counts all that pass the filters.${MONEY[of] ?? ''}`;
  const example = list([EXAMPLES[of]], 1, { page: 1, limit: DEFAULT_LIMIT });
  return applyDecorators(
    ApiListParameters(filters),
    ApiRead({ description, ...operation }, object({ success: SUCCESS, data, pagination }), example),
  );
}

/** One of the named resource; without `by`, the one there is. */
export function ApiSingle({
  of,
  by,
  ...operation
}: Operation & { of: Resource; by?: { name: string; description: string; example: string } }): MethodDecorator {
  const description = `Everything there is to know of it.${MONEY[of] ?? ''}`;
  const schema = object({ success: SUCCESS, data: ref(of) });
  const read = ApiRead({ description, ...operation }, schema, single(EXAMPLES[of]));
  if (!by) return read;
  const { example, ...parameter } = by;
  return applyDecorators(
    read,
    ApiParam({ ...parameter, required: true, schema: { type: 'string', examples: [example] } }),
    ApiFailures(new NotFound(of)),
  );
}

function ApiRead(operation: Operation, schema: Schema, value: unknown): MethodDecorator {
  return applyDecorators(
    ApiOperation(operation),
    ApiPrefer(),
    ApiRequestId(),
    ApiResponse({
      status: 200,
      description: 'OK',
      schema,
      examples: { found: { summary: 'What is found', value } },
      headers: headers(...KEY_HEADERS, 'X-Ignored-Parameters'),
    }),
    ApiFailures(new BadRequestException('Unknown query parameter: statsu'), ...COMMON_FAILURES),
  );
}

/** Placing an order. */
export function ApiCreateOrder(operation: Operation): MethodDecorator {
  return applyDecorators(
    ApiOperation(operation),
    ApiIdempotencyKey(),
    ApiRequestId(),
    ApiBody({ schema: ref('CreateOrderRequest'), required: true }),
    ApiResponse({
      status: 201,
      description: 'The order was placed, by this request or by an earlier one with the same Idempotency-Key.',
      schema: object({ success: SUCCESS, data: ref('CreatedOrder') }),
      examples: { placed: { summary: 'Placed', value: single(EXAMPLES.CreatedOrder) } },
      headers: headers(...KEY_HEADERS, 'Idempotent-Replayed'),
    }),
    ApiFailures(
      new BadRequestException('customer.name is required'),
      new BadRequestException('items[2].quantity must be an integer from 1 to 999'),
      new InvalidOrderItems('items[2].product_id 77 is not available'),
      new BadRequestException('Request body is not valid JSON'),
      new IdempotencyInFlight(),
      new OutOfStock([{ line: 0, requested: 5, available: 3 }]),
      new OrderRejected(),
      new IdempotencyMismatch(),
      new CommitOutcomeUnknown(null),
      ...COMMON_FAILURES,
    ),
  );
}
