import { canonicalHash } from '@app/application';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isJsonObject } from './fields.js';

/**
 * Identifies a request by its route, the resource that its path names, and its JSON body as received. The instance of
 * the body class is not used, because classes change between releases.
 * @param sent the body, without members that the route ignores.
 */
export function requestHashOf(request: FastifyRequest, sent: unknown = request.body ?? {}): Buffer {
  const { method, routeOptions, params } = request;
  const { id = '' } = params as { readonly id?: string };
  return canonicalHash([`${method} ${routeOptions.url}`, id.toLowerCase(), sent]);
}

/** Injects the hash of the request, for routes that ignore no member. */
export const RequestHash = createParamDecorator((_data: unknown, context: ExecutionContext): Buffer =>
  requestHashOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * Returns the members of a body that its class declares, as received. An object that was not read into a class, such as
 * metadata, is returned whole.
 * @param read the body as `BodyPipe` has read it.
 */
export function declaredOf(sent: unknown, read: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(read)) return sent.map((entry, index) => declaredOf(entry, read[index]));
  if (!isJsonObject(sent) || !isJsonObject(read) || Object.getPrototypeOf(read) === Object.prototype) return sent;
  const declared = Object.entries(sent).filter(([name]) => Object.hasOwn(read, name));
  return Object.fromEntries(declared.map(([name, value]) => [name, declaredOf(value, read[name])]));
}
