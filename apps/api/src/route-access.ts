import type { ScopeWord } from '@app/domain';
import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: 'public' | 'writes-nothing';
    /** The request needs at least one of these scopes. */
    needs?: readonly ScopeWord[];
    /** A person must have signed in within the last hour. */
    needsRecentSignIn?: boolean;
  }
}

export const PUBLIC = { access: 'public' } as const;

export const Public = (): MethodDecorator => RouteConfig(PUBLIC);

/** Declares that the route changes nothing although its method is not safe: every key may use it. */
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
  /** The maximum size of a body. A larger body is answered with 400. */
  readonly maxBytes: number;
}

/**
 * Declares a route whose `@Body() body: Buffer` is the unparsed body of any type, empty when absent. The route needs no
 * key: its handler must check who sent the body. Requests are counted by the client's network, with the limit of a key.
 * The API document omits the route. It replaces `@Public()` and `@NeedsScope()`.
 */
export const ReceivesRaw = ({ maxBytes }: RawBody): MethodDecorator =>
  applyDecorators(RouteConfig({ ...PUBLIC, rawBytes: maxBytes }), ApiExcludeEndpoint());
