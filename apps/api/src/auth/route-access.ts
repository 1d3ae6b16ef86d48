import type { WriteScope } from '@app/domain';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route needs a key unless it is public. */
    access?: 'public' | 'writes-nothing';
    /** What the key must permit. */
    needs?: WriteScope;
  }
}

/** A route of Fastify's own that needs no key. */
export const PUBLIC = { access: 'public' } as const;

/** The route needs no key. */
export const Public = (): MethodDecorator => RouteConfig(PUBLIC);

/** The route changes nothing although its method is not safe: every key may use it. */
export const WritesNothing = (): MethodDecorator => RouteConfig({ access: 'writes-nothing' });

/** A route that may write and does not say who may use it. */
export class UndeclaredRoute extends TypeError {
  constructor(method: string, path: string) {
    super(`${method} ${path} declares no access: add @NeedsScope(…), @WritesNothing() or @Public() to its method.`);
  }
}

/** @throws UndeclaredRoute for a route whose method is not safe and that declares no access. */
export function demandDeclaration({ method, url, config }: RouteOptions): void {
  const unsafe = [method].flat().find((name) => name !== 'GET' && name !== 'HEAD');
  if (unsafe !== undefined && !config?.access && !config?.needs) throw new UndeclaredRoute(unsafe, url);
}
