import type { ScopeWord } from '@app/domain';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: 'public' | 'writes-nothing';
    /** The request needs one of these scopes. */
    needs?: readonly ScopeWord[];
    /** A person must have signed in within the last hour. */
    needsFreshSignIn?: boolean;
  }
}

export const PUBLIC = { access: 'public' } as const;

export const Public = (): MethodDecorator => RouteConfig(PUBLIC);

/** The route changes nothing although its method is not safe: every key may use it. */
export const WritesNothing = (): MethodDecorator => RouteConfig({ access: 'writes-nothing' });

export class UndeclaredRoute extends TypeError {
  constructor(method: string, path: string) {
    super(`${method} ${path} declares no access: add @NeedsScope(…), @WritesNothing() or @Public() to its method.`);
  }
}

/** @throws UndeclaredRoute */
export function demandDeclaration({ method, url, config }: RouteOptions): void {
  const unsafe = [method].flat().find((name) => name !== 'GET' && name !== 'HEAD');
  if (unsafe !== undefined && !config?.access && !config?.needs) throw new UndeclaredRoute(unsafe, url);
}

interface RawBody {
  /** The size of the largest body. A larger one is 400. */
  readonly maxBytes: number;
}

/**
 * `@Body() body: Buffer` is the body as it came, whatever its type, and empty without one. The route needs no key: its handler checks
 * who sent the body. Requests count by the network of the client, up to the limit of a key. The API document leaves the route
 * out. Takes the place of `@Public()` and `@NeedsScope()`.
 */
export const ReceivesRaw = ({ maxBytes }: RawBody): MethodDecorator =>
  applyDecorators(RouteConfig({ ...PUBLIC, rawBytes: maxBytes }), ApiExcludeEndpoint());
