import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTooManyParameters, MAX_PARAMETERS } from '../http/server/request-target.js';
import { QueryReader, type RawQuery } from './query-reader.js';
import { reportUnknownParameters } from './unknown-parameters.js';

/**
 * The request's query, read by the given function: `list(@ReadQuery(readBrandsQuery) { filter, page }: BrandsQuery)`.
 * Names that the function does not read are reported to the client.
 *
 * @throws BadRequestException for more than {@link MAX_PARAMETERS} parameters.
 */
export const ReadQuery = createParamDecorator((read: (query: QueryReader) => unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  if (hasTooManyParameters(request.originalUrl)) {
    throw new BadRequestException(`Query has more than ${MAX_PARAMETERS} parameters`);
  }
  const query = new QueryReader(request.query as RawQuery);
  const values = read(query);
  reportUnknownParameters(query.unknownNames(), request, http.getResponse<FastifyReply>());
  return values;
});

/** Reads the query of a route without parameters. */
export const noParameters = (): Record<string, never> => ({});
export type NoParameters = ReturnType<typeof noParameters>;
