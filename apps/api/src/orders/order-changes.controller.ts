import { ChangeOrder, OrdersService } from '@app/application';
import { toOrderEvent } from '@app/representations';
import { Body, Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { bodyOfScope, PricedBody } from './priced-body.js';
import { list } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import { Change, PREVIEW, type ChangeOfOrder } from './change.decorator.js';
import * as request from './order-changes.request.js';
import * as docs from './order-changes.openapi.js';

const HISTORY_QUERY = listQuery({});

const STRICT = new StrictBodyPipe();
const LINES_BODY = bodyOfScope(STRICT, request.ChangeLinesRequest, request.PricedLinesRequest);
const PATCH_BODY = bodyOfScope(STRICT, request.OrderPatchRequest, request.PricedPatchRequest);

@Controller('v1/orders/:id')
@Documented(docs.ORDER_CHANGES_DOCUMENTATION)
export class OrderChangesController {
  constructor(
    private readonly orders: OrdersService,
    private readonly changes: ChangeOrder,
  ) {}

  @Get('history')
  @docs.ApiOrderHistory
  async history(
    @CurrentStore() store: CurrentStoreContext,
    @Param('id') id: string,
    @ReadQuery(HISTORY_QUERY) { page }: ValuesOf<typeof HISTORY_QUERY>,
  ) {
    const { rows, total } = await this.orders.history(store.id, id, page);
    return list(rows.map(toOrderEvent), total, page);
  }

  @Post('shipments')
  @NeedsScope('fulfillment')
  @docs.ApiCreateShipment
  async ship(@Change() { context, answer }: ChangeOfOrder, @Body(StrictBodyPipe) body: request.CreateShipmentRequest) {
    return answer(await this.changes.ship(context, request.toShipment(body)));
  }

  @Patch('shipments/:reference')
  @NeedsScope('fulfillment')
  @docs.ApiChangeShipment
  async changeShipment(
    @Change() { context, answer }: ChangeOfOrder,
    @Param('reference') reference: string,
    @Body(StrictBodyPipe) body: request.ChangeShipmentRequest,
  ) {
    return answer(await this.changes.changeShipment(context, reference, request.toShipmentPatch(body)));
  }

  @Post('cancel')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiCancelOrder
  async cancel(
    @Change() { context, answer }: ChangeOfOrder,
    @Body(StrictBodyPipe) body: request.CancelOrderRequest,
    @ReadQuery(PREVIEW) _preview: unknown,
  ) {
    return answer(await this.changes.cancel(context, request.toCancellation(body), request.toLines(body.items)));
  }

  @Post('transitions')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiMoveOrder
  async move(@Change() { context, answer }: ChangeOfOrder, @Body(StrictBodyPipe) body: request.TransitionRequest) {
    return answer(await this.changes.move(context, request.toTransition(body)));
  }

  @Post('lines')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiChangeLines
  async changeLines(
    @CurrentStore() { currency }: CurrentStoreContext,
    @Change() { context, answer }: ChangeOfOrder,
    @PricedBody(LINES_BODY) body: request.ChangeLinesRequest,
    @ReadQuery(PREVIEW) _preview: unknown,
  ) {
    return answer(await this.changes.changeLines(context, currency, request.toEditedLines(body, currency)));
  }

  @Post('hold')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiHoldOrder
  async hold(@Change() { context, answer }: ChangeOfOrder, @Body(StrictBodyPipe) body: request.HoldOrderRequest) {
    return answer(await this.changes.hold(context, body.reason));
  }

  @Post('release')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiReleaseOrder
  async release(
    @Change() { context, answer }: ChangeOfOrder,
    @Body(StrictBodyPipe) _body: request.ReleaseOrderRequest,
  ) {
    return answer(await this.changes.release(context));
  }

  @Post('payments')
  @NeedsScope('payments')
  @docs.ApiRecordPayment
  async pay(@Change() { context, answer }: ChangeOfOrder, @Body(StrictBodyPipe) body: request.RecordPaymentRequest) {
    return answer(await this.changes.pay(context, request.toPayment(body)));
  }

  @Post('refunds')
  @NeedsScope('payments')
  @docs.ApiRecordRefund
  async refund(
    @Change() { context, answer }: ChangeOfOrder,
    @Body(StrictBodyPipe) body: request.RecordRefundRequest,
    @ReadQuery(PREVIEW) _preview: unknown,
  ) {
    return answer(await this.changes.refund(context, request.toRefund(body)));
  }

  @Patch()
  @NeedsScope('fulfillment')
  @docs.ApiPatchOrder
  async patch(
    @Change() { context, answer }: ChangeOfOrder,
    @PricedBody(PATCH_BODY) body: request.OrderPatchRequest,
    @ReadQuery(PREVIEW) _preview: unknown,
  ) {
    return answer(await this.changes.patch(context, request.toOrderPatch(body)));
  }

  @Post('notes')
  @NeedsScope('fulfillment')
  @docs.ApiAddNote
  async note(@Change() { context, answer }: ChangeOfOrder, @Body(StrictBodyPipe) body: request.AddNoteRequest) {
    return answer(await this.changes.note(context, request.toNote(body)));
  }

  @Post('mails')
  @HttpCode(200)
  @NeedsScope('fulfillment')
  @docs.ApiRepeatMail
  async repeatMail(
    @Change() { context, answer }: ChangeOfOrder,
    @Body(StrictBodyPipe) body: request.RepeatMailRequest,
  ) {
    return answer(await this.changes.repeatMail(context, request.toMail(body)));
  }
}
