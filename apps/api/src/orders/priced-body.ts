import { names } from '@app/domain';
import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { AuthenticatedRequest } from '../access/current-store.decorator.js';
import type { BodyPipe } from '../body/body.pipe.js';

interface SentBody {
  readonly body: unknown;
  readonly mayPrice: boolean;
}

/** Injects the body together with what {@link bodyOfScope} needs to know about its sender. */
export const PricedBody = createParamDecorator((_data: unknown, context: ExecutionContext): SentBody => {
  const { body, apiKey } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  return { body, mayPrice: names(apiKey.scope, 'pricing') };
});

/** Reads a body into the class with prices when the key has the scope `pricing`, otherwise into the class without. */
export function bodyOfScope<Body extends object>(
  pipe: BodyPipe,
  Plain: new () => Body,
  Priced: new () => Body,
): PipeTransform<SentBody, Promise<object>> {
  return {
    transform: ({ body, mayPrice }) => pipe.transform(body, { type: 'body', metatype: mayPrice ? Priced : Plain }),
  };
}
