import { DeadlineExceeded, Overloaded, Unavailable } from '@app/application';
import { NotFound } from '@app/domain';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { AuthenticationError } from '../errors/authentication-error.js';
import { TooManyRequests } from '../errors/too-many-requests.js';
import { DEFAULT_LIMIT } from '../query/query-reader.js';
import { headers, ref } from './components.js';
import { list, single } from '../envelope.js';
import { ApiFailures } from './failures.js';
import { ApiListParameters, ApiPrefer, ApiRequestId, type Filter } from './parameters.js';
import type { Representation } from './resource.js';
import { object, type Schema } from './schema.js';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
}

/** The failures of every operation. */
export const COMMON_FAILURES: readonly Error[] = [
  new AuthenticationError('missing'),
  new AuthenticationError('unknown'),
  new AuthenticationError('inactive'),
  new AuthenticationError('store_inactive'),
  new TooManyRequests(1),
  new Error(),
  new Unavailable(),
  new DeadlineExceeded(),
  new Overloaded(),
];
/** The headers of every answer to an accepted key. */
export const KEY_HEADERS = ['X-Request-Id', 'X-Traffic-Mode', 'X-Key-Expires-At'] as const;
export const SUCCESS: Schema = { type: 'boolean', enum: [true] };

const MONEY = {
  minor: ' Money is in minor units: 1099 is 10.99 USD.',
  major: ' Money is in major units: 10.99 is 10.99 USD.',
};
const moneyOf = ({ money }: Representation): string => (money ? MONEY[money] : '');

/** Documents an operation that returns one page of a list. */
export function ApiList({
  of,
  filters,
  failures = [],
  ...operation
}: Operation & {
  of: Representation;
  filters: readonly Filter[];
  /** Failures besides those of every list. */
  failures?: readonly Error[];
}): MethodDecorator {
  const data: Schema = { type: 'array', items: ref(of.name) };
  const pagination = ref('Pagination');
  const description = `One page of the list. \`pagination.total\` counts all rows that match the filters.${moneyOf(of)}`;
  const example = list([of.example], 1, { page: 1, limit: DEFAULT_LIMIT });
  return applyDecorators(
    ApiListParameters(filters),
    ApiRead({ description, ...operation }, object({ success: SUCCESS, data, pagination }), example, failures),
  );
}

/**
 * Documents an operation that returns a single resource.
 *
 * @param by the path parameter; absent for a resource that a store has once.
 */
export function ApiSingle({
  of,
  by,
  ...operation
}: Operation & { of: Representation; by?: { name: string; description: string; example: string } }): MethodDecorator {
  const description = `The full record.${moneyOf(of)}`;
  const schema = object({ success: SUCCESS, data: ref(of.name) });
  const read = ApiRead({ description, ...operation }, schema, single(of.example));
  if (!by) return read;
  const { example, ...parameter } = by;
  return applyDecorators(
    read,
    ApiParam({ ...parameter, required: true, schema: { type: 'string', examples: [example] } }),
    ApiFailures(new NotFound(of.name)),
  );
}

function ApiRead(
  operation: Operation,
  schema: Schema,
  value: unknown,
  failures: readonly Error[] = [],
): MethodDecorator {
  return applyDecorators(
    ApiOperation(operation),
    ApiPrefer(),
    ApiRequestId(),
    ApiResponse({
      status: 200,
      description: 'OK',
      schema,
      examples: { found: { summary: 'Found', value } },
      headers: headers(...KEY_HEADERS, 'X-Ignored-Parameters'),
    }),
    ApiFailures(new BadRequestException('Unknown query parameter: statsu'), ...failures, ...COMMON_FAILURES),
  );
}
