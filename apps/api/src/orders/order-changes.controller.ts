import {
  ChangeOrder,
  OrdersService,
  type ApiKeyLookup,
  type ChangeContext,
  type ChangedOrder,
  type OrderRecord,
} from '@app/application';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../auth/current-store.decorator.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { BodyPipe } from '../body/body.pipe.js';
import { OptionalBodyPipe } from '../body/optional-body.pipe.js';
import { list, single, type ListEnvelope } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import type { ValueOf } from '../openapi/resource.js';
import { listQuery, type ValuesOf } from '../query/query.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { IdempotencyKey } from './idempotency-key.decorator.js';
import {
  CancelOrderRequest,
  ChangeShipmentRequest,
  CreateShipmentRequest,
  RecordPaymentRequest,
  RecordRefundRequest,
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
import { deadlineOf } from './order-deadline.js';
import { toOrderEvent, type OrderEvent } from './order-event.response.js';
import { toOrderResponse } from './order.response.js';

const HISTORY_QUERY = listQuery({});

/** What happens to an order after it is placed. Every change answers with the full order. */
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
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(BodyPipe) body: CreateShipmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return answer(await this.changes.ship(contextOf(key, id, idempotencyKey, reply), toShipment(body)), reply);
  }

  @Patch('shipments/:reference')
  @NeedsScope('fulfillment')
  @ApiChangeShipment()
  async changeShipment(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @Param('reference') reference: string,
    @Body(BodyPipe) body: ChangeShipmentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const context = contextOf(key, id, null, reply);
    return answer(await this.changes.changeShipment(context, reference, toShipmentPatch(body)), reply);
  }

  @Post('cancel')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @ApiCancelOrder()
  async cancel(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(OptionalBodyPipe) body: CancelOrderRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return answer(await this.changes.cancel(contextOf(key, id, idempotencyKey, reply), toCancellation(body)), reply);
  }

  @Post('transitions')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @ApiMoveOrder()
  async move(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(BodyPipe) body: TransitionRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return answer(await this.changes.move(contextOf(key, id, idempotencyKey, reply), toTransition(body)), reply);
  }

  @Post('release')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @ApiReleaseOrder()
  async release(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return answer(await this.changes.release(contextOf(key, id, idempotencyKey, reply)), reply);
  }

  @Post('payments')
  @NeedsScope('payments')
  @ApiRecordPayment()
  async pay(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(BodyPipe) body: RecordPaymentRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return answer(await this.changes.pay(contextOf(key, id, idempotencyKey, reply), toPayment(body)), reply);
  }

  @Post('refunds')
  @NeedsScope('payments')
  @ApiRecordRefund()
  async refund(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(BodyPipe) body: RecordRefundRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return answer(await this.changes.refund(contextOf(key, id, idempotencyKey, reply), toRefund(body)), reply);
  }
}

/** A key changes the orders of its own mode only. */
function contextOf(
  { id, name, mode, store }: ApiKeyLookup,
  reference: string,
  idempotencyKey: string | null,
  reply: FastifyReply,
): ChangeContext {
  return {
    order: { storeId: store.id, reference, isTest: mode === 'test' },
    actor: { type: 'key', id, name },
    idempotency:
      idempotencyKey === null ? null : { scope: { storeId: store.id, mode, key: idempotencyKey }, answer: toAnswer },
    deadline: deadlineOf(reply),
  };
}

function answer({ order, replay }: ChangedOrder, reply: FastifyReply): Buffer {
  reply.request.orderId = order.id;
  if (replay) reply.header('idempotent-replayed', 'true');
  reply.header('content-type', 'application/json; charset=utf-8');
  return replay ?? toAnswer(order);
}

/** A repeat of the request gets the same bytes. */
function toAnswer(order: OrderRecord): Buffer {
  return Buffer.from(JSON.stringify(single(toOrderResponse(order))));
}
