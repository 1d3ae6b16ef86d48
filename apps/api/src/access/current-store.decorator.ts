import { Deadline, ORDER_DEADLINE_MS, type ApiKeyLookup } from '@app/application';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a route that needs no key. */
    apiKey: ApiKeyLookup | null;
    /** A key that exists but may not be used. The log shows it, and its refusals are counted. */
    refusedKey: ApiKeyLookup | null;
    /** How long the look-up of the key took. */
    admissionMs: number;
    /** The value of `performance.now()` when the key was accepted. */
    admittedAt: number;
  }
}

export type AuthenticatedRequest = FastifyRequest & { apiKey: ApiKeyLookup };

export type CurrentStoreContext = ApiKeyLookup['store'];

export const CurrentKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ApiKeyLookup =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().apiKey,
);

export const CurrentStore = createParamDecorator(
  (_data: unknown, context: ExecutionContext): CurrentStoreContext =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().apiKey.store,
);

/** Returns the deadline of a request. The look-up of its key counts against it, the arrival of its body does not. */
export function deadlineOf({ admissionMs }: AuthenticatedRequest): Deadline {
  return Deadline.in(ORDER_DEADLINE_MS - admissionMs);
}

export const RequestDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): Deadline =>
  deadlineOf(context.switchToHttp().getRequest()),
);
