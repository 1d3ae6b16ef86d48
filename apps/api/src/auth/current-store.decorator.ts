import type { ApiKeyLookup } from '@app/application';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from './authenticated-request.js';

export type CurrentStoreContext = ApiKeyLookup['store'];

export const CurrentKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ApiKeyLookup =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().apiKey,
);

export const CurrentStore = createParamDecorator(
  (_data: unknown, context: ExecutionContext): CurrentStoreContext =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().apiKey.store,
);
