import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Parameter } from './parameters.js';
import type { Query, RawQuery } from './query.js';

const Declared = Reflector.createDecorator<Query>();

const Values = createParamDecorator((query: Query, context: ExecutionContext) =>
  query.read(context.switchToHttp().getRequest<FastifyRequest>().query as RawQuery),
);

/**
 * The documentation of the route and {@link QueryGuard} take the parameters from here.
 * @throws BadRequestException for a value that a parameter refuses.
 */
export function ReadQuery(query: Query): ParameterDecorator {
  return (controller, method, index) => {
    if (method === undefined) throw new Error('ReadQuery belongs to a parameter of a route');
    Declared(query)(controller, method, Object.getOwnPropertyDescriptor(controller, method) ?? {});
    Values(query)(controller, method, index);
  };
}

export function parametersOf(route: object): readonly Parameter[] {
  return new Reflector().get(Declared, route as never)?.parameters ?? [];
}
