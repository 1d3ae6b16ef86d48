import { Deadline, ORDER_DEADLINE_MS, type ApiKeyLookup } from '@app/application';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a route that needs no key. */
    apiKey: ApiKeyLookup | null;
    /** A key that exists but may not be used: for the log, and the count of its refusals. */
    refusedKey: ApiKeyLookup | null;
    admissionMs: number;
    /** When the key was accepted, on the clock of `performance`. */
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

/** The look-up of the key counts against the deadline, the arrival of the body does not. */
export function deadlineOf({ admissionMs }: AuthenticatedRequest): Deadline {
  return Deadline.in(ORDER_DEADLINE_MS - admissionMs);
}

export const OrderDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): Deadline =>
  deadlineOf(context.switchToHttp().getRequest()),
);
