import type { ScopeWord } from '@app/domain';
import { RouteConfig } from '@nestjs/platform-fastify';
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
