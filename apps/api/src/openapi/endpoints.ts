import { IdempotencyInFlight, IdempotencyMismatch } from '@app/application';
import { InvalidOrderItems, NotFound, OrderRejected, OutOfStock } from '@app/domain';
import { applyDecorators, BadRequestException, ServiceUnavailableException } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { AuthenticationError } from '../auth/authentication-error.js';
import { TooManyRequests } from '../auth/too-many-requests.js';
import { headers, ref, type SchemaName } from './components.js';
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
  new ServiceUnavailableException(),
];
const KEY_HEADERS = ['X-Request-Id', 'X-Traffic-Mode', 'X-Key-Expires-At'] as const;
const SUCCESS: Schema = { type: 'boolean', enum: [true] };

/** A list of the named resource, page by page. */
export function ApiList({
  of,
  filters,
  ...operation
}: Operation & { of: SchemaName; filters: readonly Filter[] }): MethodDecorator {
  const data: Schema = { type: 'array', items: ref(of) };
  const pagination = ref('Pagination');
  return applyDecorators(
    ApiListParameters(filters),
    ApiRead(operation, object({ success: SUCCESS, data, pagination })),
  );
}

/** One of the named resource; without `by`, the one there is. */
export function ApiSingle({
  of,
  by,
  ...operation
}: Operation & { of: SchemaName; by?: { name: string; description: string } }): MethodDecorator {
  const read = ApiRead(operation, object({ success: SUCCESS, data: ref(of) }));
  if (!by) return read;
  return applyDecorators(
    read,
    ApiParam({ ...by, required: true, schema: { type: 'string' } }),
    ApiFailures(new NotFound(of)),
  );
}

function ApiRead(operation: Operation, schema: Schema): MethodDecorator {
  return applyDecorators(
    ApiOperation(operation),
    ApiPrefer(),
    ApiRequestId(),
    ApiResponse({ status: 200, description: 'OK', schema, headers: headers(...KEY_HEADERS, 'X-Ignored-Parameters') }),
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
      ...COMMON_FAILURES,
    ),
  );
}
