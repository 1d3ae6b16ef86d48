import { CreateOrder, OrdersService, type ApiKeyLookup, type OrderRequest } from '@app/application';
import type { Order } from '@app/domain';
import { Body, Controller, Get, Param, Post, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { noParameters, ReadQuery, type NoParameters } from '../query/read-query.decorator.js';
import { CreateOrderPipe } from './create-order.pipe.js';
import { toCreatedOrder } from './created-order.response.js';
import { IdempotencyKey } from './idempotency-key.decorator.js';
import { toOrderListItem, toOrderResponse, type OrderListItem, type OrderResponse } from './order.response.js';
import { readOrdersQuery, type OrdersQuery } from './orders.query.js';

@Controller('v1/orders')
@UseGuards(ApiKeyGuard)
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly createOrder: CreateOrder,
  ) {}

  @Get()
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(readOrdersQuery) { filter, page }: OrdersQuery,
  ): Promise<ListEnvelope<OrderListItem>> {
    const { rows, total } = await this.orders.list(store.id, filter, page);
    return list(rows.map(toOrderListItem), total, page);
  }

  @Get(':id')
  async retrieve(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @ReadQuery(noParameters) _query: NoParameters,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return single(toOrderResponse(await this.orders.retrieve(store.id, id)));
  }

  @Post()
  async create(
    @CurrentKey() { mode, store }: ApiKeyLookup,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(CreateOrderPipe) request: OrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const render = (order: Order) => JSON.stringify(toCreatedOrder(order));
    const { response, replayed } = await this.createOrder.execute({ store, mode, request, idempotencyKey, render });
    if (replayed) reply.header('idempotent-replayed', 'true');
    reply.header('content-type', 'application/json; charset=utf-8');
    return response;
  }
}
