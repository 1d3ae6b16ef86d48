import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueryReader, type RawQuery } from './query-reader.js';
import { reportUnknownParameters } from './unknown-parameters.js';

/**
 * The request's query, as the given function reads it. The names that the function does not ask for are reported to
 * the client: `list(@ReadQuery(readBrandsQuery) { filter, page }: BrandsQuery)`.
 */
export const ReadQuery = createParamDecorator((read: (query: QueryReader) => unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const query = new QueryReader(request.query as RawQuery);
  const values = read(query);
  reportUnknownParameters(query.unknownNames(), request, http.getResponse<FastifyReply>());
  return values;
});

/** The query of a route that has no parameters. */
export const noParameters = (): Record<string, never> => ({});
export type NoParameters = ReturnType<typeof noParameters>;
