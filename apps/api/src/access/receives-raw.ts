import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { PUBLIC } from '../route-access.js';

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
