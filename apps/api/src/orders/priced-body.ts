import { names } from '@app/domain';
import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { AuthenticatedRequest } from '../access/current-store.decorator.js';
import type { BodyPipe } from '../body/body.pipe.js';

interface SentBody {
  readonly body: unknown;
  readonly mayPrice: boolean;
}

/** The body, with what {@link bodyOfScope} must know of its sender. */
export const PricedBody = createParamDecorator((_data: unknown, context: ExecutionContext): SentBody => {
  const { body, apiKey } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  return { body, mayPrice: names(apiKey.scope, 'pricing') };
});

/** Reads a body into the class with prices for a key that has the scope `pricing`, for others into the one without. */
export function bodyOfScope<Body extends object>(
  pipe: BodyPipe,
  Plain: new () => Body,
  Priced: new () => Body,
): PipeTransform<SentBody, Promise<object>> {
  return {
    transform: ({ body, mayPrice }) => pipe.transform(body, { type: 'body', metatype: mayPrice ? Priced : Plain }),
  };
}
