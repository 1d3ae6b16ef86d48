import type { FastifyRequest } from 'fastify';
import { weightsOf } from '../headers.js';
import { FORMAT, type Format, type RawQuery } from './parameters.js';

/**
 * Returns the format of the answer of a route that has the parameter `format`, which precedes the header `Accept`.
 * @throws BadRequestException for another value than a format.
 */
export function formatOf({ headers: { accept = '' }, query }: FastifyRequest): Format {
  const asked = FORMAT.read([(query as RawQuery)[FORMAT.name] ?? []].flat());
  if (asked !== undefined) return asked;
  // Most requests have no such header, or one without this type.
  if (!/text\/csv/i.test(accept)) return 'json';
  const weights = weightsOf(accept);
  return (weights.get('text/csv') ?? 0) > (weights.get('application/json') ?? 0) ? 'csv' : 'json';
}
