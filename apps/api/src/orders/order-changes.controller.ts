import { ChangeOrder, OrdersService, type ChangeContext, type ChangedOrder } from '@app/application';
import { toOrderEvent, toOrderResponse, type OrderEvent, type OrderResponse, type ValueOf } from '@app/representations';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { list, single, type ListEnvelope, type SingleEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { listQuery, type ValuesOf } from '../query/query.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { Change } from './change.decorator.js';
import {
  CancelOrderRequest,
  ChangeShipmentRequest,
  CreateShipmentRequest,
  RecordPaymentRequest,
  RecordRefundRequest,
  ReleaseOrderRequest,
  toCancellation,
  toPayment,
  toRefund,
  toShipment,
  toShipmentPatch,
  toTransition,
  TransitionRequest,
} from './order-changes.request.js';
import {
  ApiCancelOrder,
  ApiChangeShipment,
  ApiCreateShipment,
  ApiMoveOrder,
  ApiOrderHistory,
  ApiRecordPayment,
  ApiRecordRefund,
  ApiReleaseOrder,
  ORDER_CHANGES_DOCUMENTATION,
} from './order-changes.openapi.js';

const HISTORY_QUERY = listQuery({});

@Controller('v1/orders/:id')
@Documented(ORDER_CHANGES_DOCUMENTATION)
export class OrderChangesController {
  constructor(
    private readonly orders: OrdersService,
    private readonly changes: ChangeOrder,
  ) {}

  @Get('history')
  @ApiOrderHistory()
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
  @ApiCreateShipment()
  async ship(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: CreateShipmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.ship(change, toShipment(body)), reply);
  }

  @Patch('shipments/:reference')
  @NeedsScope('fulfillment')
  @ApiChangeShipment()
  async changeShipment(
    @Change() change: ChangeContext,
    @Param('reference') reference: string,
    @Body(StrictBodyPipe) body: ChangeShipmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.changeShipment(change, reference, toShipmentPatch(body)), reply);
  }

  @Post('cancel')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @ApiCancelOrder()
  async cancel(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: CancelOrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.cancel(change, toCancellation(body)), reply);
  }

  @Post('transitions')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @ApiMoveOrder()
  async move(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: TransitionRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.move(change, toTransition(body)), reply);
  }

  @Post('release')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @ApiReleaseOrder()
  async release(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) _body: ReleaseOrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.release(change), reply);
  }

  @Post('payments')
  @NeedsScope('payments')
  @ApiRecordPayment()
  async pay(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: RecordPaymentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.pay(change, toPayment(body)), reply);
  }

  @Post('refunds')
  @NeedsScope('payments')
  @ApiRecordRefund()
  async refund(
    @Change() change: ChangeContext,
    @Body(StrictBodyPipe) body: RecordRefundRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SingleEnvelope<OrderResponse>> {
    return answer(await this.changes.refund(change, toRefund(body)), reply);
  }
}

function answer({ order, isReplay }: ChangedOrder, reply: FastifyReply): SingleEnvelope<OrderResponse> {
  reply.request.orderId = order.id;
  if (isReplay) reply.header('idempotent-replayed', 'true');
  return single(toOrderResponse(order));
}
