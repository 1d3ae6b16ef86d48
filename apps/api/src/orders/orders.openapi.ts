import { CommitOutcomeUnknown, IdempotencyInFlight, IdempotencyMismatch } from '@app/application';
import { ExternalReferenceTaken, ItemsUnavailable, OrderRejected, OutOfStock } from '@app/domain';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { optionalHeaders, ref } from '../openapi/components.js';
import { ApiList, ApiSingle, COMMON_FAILURES, KEY_HEADERS, SUCCESS } from '../openapi/endpoints.js';
import { single } from '../envelope.js';
import { AuthenticationError } from '../errors/authentication-error.js';
import { ApiFailures } from '../openapi/failures.js';
import { ApiIdempotencyKey, ApiPrefer, ApiRequestId } from '../openapi/request-headers.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { object } from '../openapi/schema.js';
import { CreateOrderRequest } from './create-order.request.js';
import { CREATED_ORDER, type CreatedOrderResponse } from './created-order.response.js';
import {
  CREATE_ORDER_EXAMPLE,
  CREATED_ORDER_EXAMPLE,
  ORDER_EXAMPLE,
  ORDER_LIST_ITEM_EXAMPLE,
  ORDER_PREVIEW_EXAMPLE,
} from './orders.examples.js';
import { ORDER, ORDER_LIST_ITEM, type OrderListItem as ListItem, type OrderResponse } from './order.response.js';
import { ORDER_PREVIEW, type OrderPreviewResponse } from './order-preview.response.js';

const OrderListItem: Representation<ListItem> = {
  name: 'OrderListItem',
  schema: ORDER_LIST_ITEM,
  money: 'minor',
  example: ORDER_LIST_ITEM_EXAMPLE,
};
const Order: Representation<OrderResponse> = { name: 'Order', schema: ORDER, money: 'minor', example: ORDER_EXAMPLE };
const CreatedOrder: Representation<CreatedOrderResponse> = {
  name: 'CreatedOrder',
  schema: CREATED_ORDER,
  money: 'major',
  example: CREATED_ORDER_EXAMPLE,
};

const OrderPreview: Representation<OrderPreviewResponse> = {
  name: 'OrderPreview',
  schema: ORDER_PREVIEW,
  money: 'major',
  example: ORDER_PREVIEW_EXAMPLE,
};

export const ORDERS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Orders',
  description: 'Orders of points of sale and of the website. One operation places an order.',
  schemas: [OrderListItem, Order, CreatedOrder, OrderPreview],
};

export const ApiListOrders = () =>
  ApiList({
    operationId: 'listOrders',
    summary: 'Orders of points of sale and of the website, newest first',
    of: OrderListItem,
  });

export const ApiGetOrder = () =>
  ApiSingle({
    operationId: 'getOrder',
    summary: 'One order',
    of: Order,
    by: {
      name: 'id',
      description: 'UUID, or receipt number in any letter case.',
      example: '652e11cd-af5e-469b-9ad6-28bda7a6431d',
    },
  });

const ApiOrderBody = () =>
  ApiBody({ type: CreateOrderRequest, examples: { order: { summary: 'An order', value: CREATE_ORDER_EXAMPLE } } });

export const ApiCreateOrder = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'createOrder',
      summary: 'Place an order',
      description:
        'Names, unit prices and totals come from the live catalog; prices in the request are ignored. The order runs the ' +
        'full pipeline: fraud analysis, inventory and notifications. Payment on delivery or offline only.',
    }),
    ApiIdempotencyKey(),
    ApiPrefer(),
    ApiRequestId(),
    ApiOrderBody(),
    ApiResponse({
      status: 201,
      description: 'The order was placed, by this request or by an earlier one with the same Idempotency-Key.',
      schema: object({ success: SUCCESS, data: ref(CreatedOrder.name) }),
      examples: { placed: { summary: 'Placed', value: single(CreatedOrder.example) } },
      headers: { ...KEY_HEADERS, ...optionalHeaders('Idempotent-Replayed', 'X-Ignored-Parameters') },
    }),
    ApiFailures(
      new BadRequestException('customer.name is required'),
      new BadRequestException('items[2].quantity must be an integer from 1 to 999'),
      new ItemsUnavailable([{ line: 2, what: 'product', id: 77 }]),
      new BadRequestException('Request body is not valid JSON'),
      new BadRequestException('Unknown query parameter: dry_run'),
      new IdempotencyInFlight(),
      new OutOfStock([{ line: 0, requested: 5, available: 3 }]),
      new OrderRejected(),
      new ExternalReferenceTaken(ORDER_EXAMPLE.id),
      new IdempotencyMismatch(),
      new CommitOutcomeUnknown(null),
      new AuthenticationError('insufficient_scope'),
      ...COMMON_FAILURES,
    ),
  );

export const ApiPreviewOrder = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'previewOrder',
      summary: 'Prices, totals and problems of an order that is not placed',
      description:
        'Takes the body of an order and returns the data of its 201 without `order_id` and `receipt_number`, with ' +
        '`problems`. Reserves nothing and writes nothing, so a key with the scope `read` suffices. The fraud analysis does ' +
        'not run: it may still refuse or hold the order. `items` and the totals omit lines with `item_unavailable` and ' +
        'contain those that are `out_of_stock`. Money is in major units: 10.99 is 10.99 USD.',
    }),
    ApiPrefer(),
    ApiRequestId(),
    ApiOrderBody(),
    ApiResponse({
      status: 200,
      description: 'The order was not placed. `problems` is empty if it could be placed at this moment.',
      schema: object({ success: SUCCESS, data: ref(OrderPreview.name) }),
      examples: { short: { summary: 'Stock is short', value: single(OrderPreview.example) } },
      headers: { ...KEY_HEADERS, ...optionalHeaders('X-Ignored-Parameters') },
    }),
    ApiFailures(
      new BadRequestException('customer.name is required'),
      new BadRequestException('items[2].quantity must be an integer from 1 to 999'),
      new BadRequestException('Request body is not valid JSON'),
      new BadRequestException('Unknown query parameter: dry_run'),
      ...COMMON_FAILURES,
    ),
  );
