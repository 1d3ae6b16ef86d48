import { actorOf, type ChangeContext, type ChangedOrder } from '@app/application';
import { toOrderResponse, type OrderResponse } from '@app/representations';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { deadlineOf, type AuthenticatedRequest } from '../access/current-store.decorator.js';
import { requestHashOf } from '../body/request-hash.js';
import { single, type SingleEnvelope } from '../envelope.js';
import { invalidField } from '../errors/invalid-fields.js';
import { trueFilter } from '../query/parameters.js';
import { parametersOf, queryOf } from '../query/query.js';
import { idempotencyKeyOf } from '../body/idempotency-key.decorator.js';

/** The query parameter of a change that can be previewed. */
export const PREVIEW = queryOf<{ isPreview?: true }>({
  isPreview: trueFilter('preview', 'answers with the order as the change would leave it, with 200, and writes nothing'),
});

/** @throws BadRequestException for a change without a preview: the request would make the change. */
function isPreviewOf({ query }: AuthenticatedRequest, route: object): boolean {
  const isPossible = parametersOf(route).some((parameter) => PREVIEW.parameters.includes(parameter));
  const { isPreview = false } = PREVIEW.read(query as Parameters<typeof PREVIEW.read>[0]);
  if (isPreview && !isPossible) throw invalidField('preview is supported only for lines, cancel, refunds and PATCH');
  return isPreview;
}

export interface ChangeOfOrder {
  readonly context: ChangeContext;
  readonly answer: (changed: ChangedOrder) => SingleEnvelope<OrderResponse>;
}

/**
 * Injects the context of a change. A key changes only orders of its own mode. PATCH and previews take no
 * Idempotency-Key: a PATCH can be repeated safely, and a preview changes nothing.
 */
export const Change = createParamDecorator((_data: unknown, context: ExecutionContext): ChangeOfOrder => {
  const http = context.switchToHttp();
  const request = http.getRequest<AuthenticatedRequest & { readonly params: { readonly id: string } }>();
  const reply = http.getResponse<FastifyReply>();
  const { mode, store } = request.apiKey;
  const isPreview = isPreviewOf(request, context.getHandler());
  const key = request.method === 'PATCH' || isPreview ? null : idempotencyKeyOf(request);
  return {
    context: {
      order: { storeId: store.id, reference: request.params.id, isTest: mode === 'test' },
      actor: actorOf(request.apiKey),
      idempotency:
        key === null ? null : { scope: { storeId: store.id, mode, key }, requestHash: requestHashOf(request) },
      deadline: deadlineOf(request),
      isPreview,
    },
    answer: ({ order, isReplay, shipsPicked }) => {
      request.orderId = order.id;
      if (shipsPicked || isPreview) reply.status(200);
      if (isReplay) reply.header('idempotent-replayed', 'true');
      return single(toOrderResponse(order));
    },
  };
});
