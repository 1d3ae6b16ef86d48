import type { Page, Position, Sort } from '@app/application';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { LIMIT, PAGE, type Parameter, type RawQuery } from './parameters.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The page that the route returns instead of that of its URL, for a reader of all pages. */
    page?: PageOfReader;
  }
}

type PageOfReader = Omit<Page, 'sort'> & { readonly position: Position };

export interface Query<T = unknown> {
  readonly parameters: readonly Parameter[];
  /**
   * @param page replaces the page in the query of a list.
   * @throws BadRequestException for a value that a parameter refuses.
   */
  readonly read: (query: RawQuery, page?: PageOfReader) => T;
}

export type ValuesOf<Q extends Query> = ReturnType<Q['read']>;

type Parameters<T> = { readonly [Key in keyof T]-?: Parameter<T[Key]> };

export function queryOf<T extends object>(declared: Parameters<T>): Query<T> {
  const entries = Object.entries<Parameter>(declared);
  return {
    parameters: entries.map(([, parameter]) => parameter),
    read: (query) =>
      Object.fromEntries(entries.map(([key, { name, read }]) => [key, read([query[name] ?? []].flat(), query)])) as T,
  };
}

/**
 * Declares the query of a list: a parameter for each field of the port's filter, `limit`, `page`, and the sort
 * parameters.
 */
export function listQuery<F extends object>(
  filters: Parameters<F>,
  order: { readonly sort?: Parameter<Sort | undefined> } = {},
): Query<{ filter: F; page: Page }> {
  const filter = queryOf<F>(filters);
  const page = queryOf<Omit<Page, 'sort' | 'position'>>({ ...order, limit: LIMIT, page: PAGE });
  return {
    parameters: [...filter.parameters, ...page.parameters],
    read: (query, asked) => ({ filter: filter.read(query), page: { ...page.read(query), ...asked } }),
  };
}

const Declared = Reflector.createDecorator<Query>();

const Values = createParamDecorator((declared: Query, context: ExecutionContext) => {
  const { query, page } = context.switchToHttp().getRequest<FastifyRequest>();
  return declared.read(query as RawQuery, page);
});

/** Declares the query of a route. The documentation and {@link QueryGuard} take the parameters from here. */
export function ReadQuery(query: Query): ParameterDecorator {
  return (controller, method, index) => {
    if (method === undefined) throw new Error('ReadQuery belongs to a parameter of a route');
    Declared(query)(controller, method, Object.getOwnPropertyDescriptor(controller, method) ?? {});
    Values(query)(controller, method, index);
  };
}

/** Adds parameters that something else than the route's `ReadQuery` reads. */
export function addParameters(route: object, added: readonly Parameter[]): void {
  const declared = new Reflector().get(Declared, route as never) as Query | undefined;
  const query = { ...queryOf({}), ...declared, parameters: [...parametersOf(route), ...added] };
  Reflect.defineMetadata(Declared.KEY, query, route);
}

export function parametersOf(route: object): readonly Parameter[] {
  return new Reflector().get(Declared, route as never)?.parameters ?? [];
}
