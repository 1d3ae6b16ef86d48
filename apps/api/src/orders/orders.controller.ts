import {
  CreateOrder,
  Deadline,
  ORDER_DEADLINE_MS,
  OrdersService,
  type ApiKeyLookup,
  type OrderRequest,
} from '@app/application';
import type { Order } from '@app/domain';
import { Body, Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiTags } from '@nestjs/swagger';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { Metrics } from '../status/metrics.js';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { ApiCreateOrder, ApiList, ApiSingle } from '../openapi/endpoints.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { CreateOrderPipe } from './create-order.pipe.js';
import { toCreatedOrder } from './created-order.response.js';
import { IdempotencyKey } from './idempotency-key.decorator.js';
import { toOrderListItem, toOrderResponse, type OrderListItem, type OrderResponse } from './order.response.js';
import { ORDER_FILTERS, readOrdersQuery, type OrdersQuery } from './orders.query.js';

@Controller('v1/orders')
@ApiTags('Orders')
@UseGuards(ApiKeyGuard)
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly createOrder: CreateOrder,
    private readonly metrics: Metrics,
  ) {}

  @Get()
  @ApiList({
    operationId: 'listOrders',
    summary: 'Orders of points of sale and of the website, newest first',
    of: 'OrderListItem',
    filters: ORDER_FILTERS,
  })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readOrdersQuery) { filter, page }: OrdersQuery,
  ): Promise<ListEnvelope<OrderListItem>> {
    const { rows, total } = await this.orders.list(store.id, filter, page);
    return list(rows.map(toOrderListItem), total, page);
  }

  @Get(':id')
  @ApiSingle({
    operationId: 'getOrder',
    summary: 'One order',
    of: 'Order',
    by: { name: 'id', description: 'UUID, or receipt number in any letter case.', example: 'WEB-261120-7K3M9Q' },
  })
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @ReadQuery(noParameters) _query: NoParameters,
    @Req() incoming: FastifyRequest,
  ): Promise<SingleEnvelope<OrderResponse>> {
    const order = await this.orders.retrieve(store.id, id);
    incoming.orderId = order.id;
    return single(toOrderResponse(order));
  }

  @Post()
  @ApiCreateOrder({
    operationId: 'createOrder',
    summary: 'Place an order',
    description:
      'Names, unit prices and totals come from the live catalog; prices in the request are ignored. The order runs the ' +
      'full pipeline: fraud analysis, inventory and notifications. Payment on delivery or offline only.',
  })
  async create(
    @CurrentKey() { mode, store }: ApiKeyLookup,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(CreateOrderPipe) request: OrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const render = (order: Order) => JSON.stringify(toCreatedOrder(order));
    const deadline = Deadline.in(ORDER_DEADLINE_MS - (reply.elapsedTime - reply.request.waitedForBodyMs));
    const command = { store, mode, request, idempotencyKey, deadline, render };
    const { response, replayed } = await this.createOrder.execute(command);
    this.metrics.countOrder(mode, replayed);
    reply.request.orderId = orderIdOf(response);
    if (replayed) reply.header('idempotent-replayed', 'true');
    reply.header('content-type', 'application/json; charset=utf-8');
    return response;
  }
}

/** Answers begin with it, those to repeated requests too. */
function orderIdOf(response: string | Buffer): string | null {
  const beginning = response.toString('utf8').slice(0, 100);
  return /"order_id":"([0-9a-f-]{36})"/.exec(beginning)?.[1] ?? null;
}
