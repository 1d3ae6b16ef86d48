import { RouteConfig } from '@nestjs/platform-fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: the route needs a key, and a key of the scope `full` unless its method is safe. */
    access?: 'public' | 'writes-nothing';
  }
}

/** A route of Fastify's own that needs no key. */
export const PUBLIC = { access: 'public' } as const;

/** The route needs no key. */
export const Public = (): MethodDecorator => RouteConfig(PUBLIC);

/** The route changes nothing although its method is not safe: keys with the scope `read` may use it. */
export const WritesNothing = (): MethodDecorator => RouteConfig({ access: 'writes-nothing' });
