import { DeadlineExceeded, Overloaded, Unavailable } from '@app/application';
import { NotFound } from '@app/domain';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { AuthenticationError } from '../errors/authentication-error.js';
import { TooManyRequests } from '../errors/too-many-requests.js';
import { DEFAULT_LIMIT, type Parameter } from '../query/parameters.js';
import { parametersOf } from '../query/read-query.decorator.js';
import { headers, optionalHeaders, ref } from './components.js';
import { list, single } from '../envelope.js';
import { ApiFailures } from './failures.js';
import { ApiIfNoneMatch, ApiPrefer, ApiRequestId } from './request-headers.js';
import type { Representation } from './resource.js';
import { object, type ContentObject, type Schema } from './schema.js';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Failures beyond the common ones. */
  readonly failures?: readonly Error[];
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
export const KEY_HEADERS = {
  ...headers('X-Request-Id', 'X-Traffic-Mode'),
  ...optionalHeaders('X-Key-Expires-At'),
};
export const SUCCESS: Schema = { type: 'boolean', enum: [true] };

const MONEY = {
  minor: ' Money is in minor units: 1099 is 10.99 USD.',
  major: ' Money is in major units: 10.99 is 10.99 USD.',
};
const moneyOf = ({ money }: Representation): string => (money ? MONEY[money] : '');

/** Documents a route by the query parameters that it reads: decorators of parameters run before those of methods. */
function byParameters(document: (parameters: readonly Parameter[]) => MethodDecorator): MethodDecorator {
  return (controller, name, descriptor) =>
    document(parametersOf(descriptor.value as object))(controller, name, descriptor);
}

/** Documents the query parameters of a route. */
export const ApiParameters = (): MethodDecorator =>
  byParameters((parameters) =>
    applyDecorators(
      ...parameters.map(({ name, description, schema }) => ApiQuery({ name, description, schema, required: false })),
    ),
  );

/** Documents an operation that returns one page of a list. */
export function ApiList({ of, ...operation }: Operation & { of: Representation }): MethodDecorator {
  const data: Schema = { type: 'array', items: ref(of.name) };
  const pagination = ref('Pagination');
  const description = `One page of the list. \`pagination.total\` counts all rows that match the filters.${moneyOf(of)}`;
  const example = list([of.example], 1, { page: 1, limit: DEFAULT_LIMIT });
  return applyDecorators(
    ApiParameters(),
    ApiConditional(),
    ApiRead(
      { description, ...operation },
      { schema: object({ success: SUCCESS, data, pagination }), example, headers: optionalHeaders('ETag') },
    ),
  );
}

export interface PathParameter {
  readonly name: string;
  readonly description: string;
  /** Exists in the demo store, so that tools can send the request as it stands. */
  readonly example: string;
}

/**
 * Documents an operation that returns a single resource.
 *
 * @param by absent for a resource that a store has once.
 */
export function ApiSingle({
  of,
  by,
  ...operation
}: Operation & { of: Representation; by?: PathParameter }): MethodDecorator {
  const description = `The full record.${moneyOf(of)}`;
  const body = { schema: object({ success: SUCCESS, data: ref(of.name) }), example: single(of.example) };
  // What a store has once, its profile, is not in the feed that the tags come from.
  if (!by) return ApiRead({ description, ...operation }, body);
  const { example, ...parameter } = by;
  return applyDecorators(
    ApiConditional(),
    ApiRead({ description, ...operation }, { ...body, headers: optionalHeaders('ETag') }),
    ApiParam({ ...parameter, required: true, schema: { type: 'string', examples: [example] } }),
    ApiFailures(new NotFound(of.name)),
  );
}

/** Documents a read that can be repeated with `If-None-Match`. */
function ApiConditional(): MethodDecorator {
  return applyDecorators(
    ApiIfNoneMatch(),
    ApiResponse({
      status: 304,
      description: 'Nothing that the answer shows has changed since the one with this `ETag`. No body.',
      headers: { ...KEY_HEADERS, ...optionalHeaders('ETag') },
    }),
  );
}

export interface ReadAnswer {
  readonly schema: Schema;
  readonly example: unknown;
  /** Beyond those of all reads. */
  readonly headers?: ReturnType<typeof optionalHeaders>;
  /** The forms of the answer beside JSON. */
  readonly content?: ContentObject;
}

/** Documents the parts that all reads have in common. */
export function ApiRead({ failures = [], ...operation }: Operation, answer: ReadAnswer): MethodDecorator {
  const { schema, example, content } = answer;
  const examples = { found: { summary: 'Found', value: example } };
  return applyDecorators(
    ApiOperation(operation),
    ApiPrefer(),
    ApiRequestId(),
    ApiResponse({
      status: 200,
      description: 'OK',
      ...(content ? { content: { 'application/json': { schema, examples }, ...content } } : { schema, examples }),
      headers: { ...KEY_HEADERS, ...optionalHeaders('X-Ignored-Parameters'), ...answer.headers },
    }),
    byParameters((parameters) => {
      const refused = ['Unknown query parameter: statsu', ...parameters.flatMap(({ refusal = [] }) => refusal)];
      const refusals = refused.map((message) => new BadRequestException(message));
      return ApiFailures(...refusals, ...failures, ...COMMON_FAILURES);
    }),
  );
}
