import { ChangeOrder, OrdersService, type ChangeContext, type ChangedOrder } from '@app/application';
import { toOrderEvent, toOrderResponse, type OrderEvent, type OrderResponse, type ValueOf } from '@app/representations';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { listQuery, type ValuesOf } from '../query/query.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { Change } from './change.decorator.js';
import * as request from './order-changes.request.js';
import * as docs from './order-changes.openapi.js';

const HISTORY_QUERY = listQuery({});

@Controller('v1/orders/:id')
@Documented(docs.ORDER_CHANGES_DOCUMENTATION)
export class OrderChangesController {
  constructor(
    private readonly orders: OrdersService,
    private readonly changes: ChangeOrder,
  ) {}

  @Get('history')
  @docs.ApiOrderHistory()
  async history(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @ReadQuery(HISTORY_QUERY) { page }: ValuesOf<typeof HISTORY_QUERY>,
  ): Promise<ListEnvelope<ValueOf<typeof OrderEvent>>> {
    const { rows, total } = await this.orders.history(store.id, id, page);
    return list(rows.map(toOrderEvent), total, page);
  }

  @Post('shipments')
  @NeedsScope('fulfillment')
  @docs.ApiCreateShipment()
  async ship(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: request.CreateShipmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.ship(change, request.toShipment(body)), reply);
  }

  @Patch('shipments/:reference')
  @NeedsScope('fulfillment')
  @docs.ApiChangeShipment()
  async changeShipment(
    @Change() change: ChangeContext,
    @Param('reference') reference: string,
    @Body(StrictBodyPipe) body: request.ChangeShipmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.changeShipment(change, reference, request.toShipmentPatch(body)), reply);
  }

  @Post('cancel')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiCancelOrder()
  async cancel(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: request.CancelOrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.cancel(change, request.toCancellation(body)), reply);
  }

  @Post('transitions')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiMoveOrder()
  async move(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: request.TransitionRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.move(change, request.toTransition(body)), reply);
  }

  @Post('release')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiReleaseOrder()
  async release(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) _body: request.ReleaseOrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.release(change), reply);
  }

  @Post('payments')
  @NeedsScope('payments')
  @docs.ApiRecordPayment()
  async pay(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: request.RecordPaymentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.pay(change, request.toPayment(body)), reply);
  }

  @Post('refunds')
  @NeedsScope('payments')
  @docs.ApiRecordRefund()
  async refund(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: request.RecordRefundRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.refund(change, request.toRefund(body)), reply);
  }
}

function answer({ order, isReplay }: ChangedOrder, reply: FastifyReply): SingleEnvelope<OrderResponse> {
  reply.request.orderId = order.id;
  if (isReplay) reply.header('idempotent-replayed', 'true');
  return single(toOrderResponse(order));
}
