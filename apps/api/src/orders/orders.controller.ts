import {
  actorOf,
  CreateOrder,
  Deadline,
  ORDER_INCLUDES,
  OrdersService,
  PreviewOrder,
  type ApiKeyLookup,
  type OrderFilter,
} from '@app/application';
import { FULFILLMENT_STATUSES, ORDER_SOURCES, PAYMENT_STATUSES } from '@app/domain';
import {
  Order,
  OrderListItem,
  toCreatedOrder,
  toOrderListItem,
  toOrderPreview,
  toOrderResponse,
} from '@app/representations';
import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Metrics } from '../status/metrics.js';
import { WritesNothing } from '../route-access.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import {
  CurrentKey,
  CurrentStore,
  RequestDeadline,
  type CurrentStoreContext,
} from '../access/current-store.decorator.js';
import { BodyPipe } from '../body/body.pipe.js';
import { ignoredFields } from '../body/ignored-fields.js';
import { bodyOfScope, PricedBody } from './priced-body.js';
import { declaredOf, requestHashOf } from '../body/request-hash.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList, ApiSingle } from '../openapi/endpoints.js';
import {
  booleanFilter,
  createdFilter,
  exactFilter,
  includeOf,
  metadataFilter,
  oneOfFilter,
  searchFilter,
  SORT,
  timeFilter,
  trueFilter,
  updatedFilter,
  wordsFilter,
} from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import { CreateOrderRequest, PricedOrderRequest, toOrderRequest } from './create-order.request.js';
import { IdempotencyKey } from '../body/idempotency-key.decorator.js';
import * as docs from './orders.openapi.js';

const CUSTOMER_ID = '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c';

const QUERY = listQuery<OrderFilter>(
  {
    status: oneOfFilter('status', 'payment status', PAYMENT_STATUSES, 'PENDING'),
    fulfillmentStatus: oneOfFilter('fulfillment_status', 'fulfillment stage', FULFILLMENT_STATUSES, 'SHIPPED'),
    source: oneOfFilter('source', 'source', ORDER_SOURCES, ORDER_SOURCES[0]),
    ids: wordsFilter('ids', 'one of these ids or receipt numbers', 'WEB-261120-7K3M9Q'),
    customerId: exactFilter('customer_id', 'the id of the account to which the order is linked', CUSTOMER_ID),
    email: exactFilter('email', 'the whole e-mail on the order, in any letter case', 'ada@example.com'),
    refundDue: trueFilter('refund_due', 'only orders with a refund due'),
    open: trueFilter('open', 'only orders with an outstanding amount'),
    overdue: trueFilter('overdue', 'only orders with an outstanding amount that is overdue'),
    paidFrom: timeFilter('paid_from', 'Only orders with a payment dated at this time or later.'),
    paidTo: timeFilter('paid_to', 'Only orders with a payment dated before this time.'),
    mailFailed: trueFilter(
      'mail_failed',
      'only orders with a mail that failed permanently, except because of its recipient',
    ),
    ...createdFilter('orders that were placed'),
    ...updatedFilter('orders that changed'),
    held: booleanFilter('held', 'only orders under review: neither released nor cancelled', 'only the others'),
    isTest: booleanFilter('is_test', 'only orders that were placed with a test key', 'only live orders'),
    externalReference: exactFilter('external_reference', "the client's own number", 'PO-2026-117'),
    metadata: metadataFilter(),
    search: searchFilter(
      'the receipt number, the external reference, the name or the e-mail address on the order, a tracking number, the reference of ' +
        'a payment, or the street, company or VAT number of an address',
      'ada@example.com',
    ),
    include: includeOf(ORDER_INCLUDES, 'line_items'),
  },
  { sort: SORT },
);

const ORDER_BODY = bodyOfScope(new BodyPipe(), CreateOrderRequest, PricedOrderRequest);

@Controller('v1/orders')
@Documented(docs.ORDERS_DOCUMENTATION)
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly createOrder: CreateOrder,
    private readonly previewOrder: PreviewOrder,
    private readonly metrics: Metrics,
  ) {}

  @Get()
  @ApiList({
    operationId: 'listOrders',
    summary: 'Orders of points of sale and of the website, newest first',
    of: OrderListItem,
    lines: 'line_items',
  })
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>,
    @Req() incoming: FastifyRequest,
  ) {
    const { rows, total, readBytes = 0 } = await this.orders.list(store.id, filter, page);
    incoming.noteRead(readBytes);
    return list(
      rows.map((row) => toOrderListItem(row, filter.include)),
      total,
      page,
    );
  }

  @Get(':id')
  @ApiSingle({ operationId: 'getOrder', summary: 'One order', of: Order, by: docs.ORDER })
  async retrieve(@CurrentStore() store: CurrentStoreContext, @Param('id') id: string, @Req() incoming: FastifyRequest) {
    const order = await this.orders.retrieve(store.id, id);
    incoming.orderId = order.id;
    return single(toOrderResponse(order));
  }

  @Post()
  @NeedsScope('orders')
  @docs.ApiCreateOrder
  async create(
    @CurrentKey() apiKey: ApiKeyLookup,
    @IdempotencyKey() key: string | null,
    @PricedBody(ORDER_BODY) body: CreateOrderRequest,
    @RequestDeadline() deadline: Deadline,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { mode, store } = apiKey;
    const ignored = ignoredFields(reply.request, body);
    const request = toOrderRequest(body, store.currency);
    const hashOf = () => requestHashOf(reply.request, declaredOf(reply.request.body, body));
    const { receipt, isReplay } = await this.createOrder.execute({
      store,
      mode,
      placedBy: actorOf(apiKey).id,
      request,
      idempotency: key === null ? null : { scope: { storeId: store.id, mode, key }, requestHash: hashOf() },
      deadline,
    });
    this.metrics.countOrder(mode, isReplay);
    reply.request.orderId = receipt.orderId;
    if (isReplay) reply.header('idempotent-replayed', 'true');
    if (ignored !== '') reply.header('x-ignored-fields', ignored);
    return single(toCreatedOrder(receipt));
  }

  @Post('preview')
  @HttpCode(200)
  @WritesNothing()
  @docs.ApiPreviewOrder
  async preview(
    @CurrentKey() { mode, store }: ApiKeyLookup,
    @PricedBody(ORDER_BODY) body: CreateOrderRequest,
    @RequestDeadline() deadline: Deadline,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const ignored = ignoredFields(reply.request, body);
    const request = toOrderRequest(body, store.currency);
    const preview = await this.previewOrder.execute({ store, mode, request, deadline });
    if (ignored !== '') reply.header('x-ignored-fields', ignored);
    return single(toOrderPreview(preview));
  }
}
