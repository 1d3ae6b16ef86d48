import { Deadline, ORDER_DEADLINE_MS, type ChangeContext } from '@app/application';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from '../access/current-store.decorator.js';
import { idempotencyKeyOf } from './idempotency-key.decorator.js';

/** The look-up of the key counts against the deadline, the arrival of the body does not. */
function deadlineOf({ admissionMs }: AuthenticatedRequest): Deadline {
  return Deadline.in(ORDER_DEADLINE_MS - admissionMs);
}

export const OrderDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): Deadline =>
  deadlineOf(context.switchToHttp().getRequest()),
);

/** A key changes the orders of its own mode only. A PATCH can be repeated as it is: it takes no Idempotency-Key. */
export const Change = createParamDecorator((_data: unknown, context: ExecutionContext): ChangeContext => {
  const request = context
    .switchToHttp()
    .getRequest<AuthenticatedRequest & { readonly params: { readonly id: string } }>();
  const { id, name, mode, store } = request.apiKey;
  const key = request.method === 'PATCH' ? null : idempotencyKeyOf(request);
  return {
    order: { storeId: store.id, reference: request.params.id, isTest: mode === 'test' },
    actor: { type: 'key', id, name },
    idempotency: key === null ? null : { storeId: store.id, mode, key },
    deadline: deadlineOf(request),
  };
});
