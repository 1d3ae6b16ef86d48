import {
  CommitOutcomeUnknown,
  DeadlineExceeded,
  IdempotencyInFlight,
  IdempotencyMismatch,
  Overloaded,
  PageTooDeep,
  PageTooLarge,
  StoreMoved,
  Unavailable,
} from '@app/application';
import { NotFound } from '@app/domain';
import { object, ref, type Representation } from '@app/representations';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { AuthenticationError, TooManyRequests } from '../errors/request-errors.js';
import { DEFAULT_LIMIT, type Parameter } from '../query/parameters.js';
import { parametersOf } from '../query/query.js';
import { list, single } from '../envelope.js';
import { AsTable } from '../query/table.decorator.js';
import { headers, optionalHeaders } from './components.js';
import { ApiFailures } from './failures.js';
import { ApiIdempotencyKey, ApiIfNoneMatch, ApiPrefer, ApiRequestId } from './request-headers.js';
import { InvalidFields, invalidField } from '../errors/invalid-fields.js';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly failures?: readonly Error[];
}

const COMMON_FAILURES: readonly Error[] = [
  new AuthenticationError('missing'),
  new AuthenticationError('unknown'),
  new AuthenticationError('inactive'),
  new AuthenticationError('store_inactive'),
  new AuthenticationError('address_not_allowed'),
  new AuthenticationError('foreign_origin'),
  new TooManyRequests(1, 'of key'),
  new TooManyRequests(1, 'of store'),
  new Error(),
  new Unavailable(),
  new DeadlineExceeded(),
  new Overloaded(),
  new StoreMoved(),
];
const KEY_HEADERS = {
  ...headers('X-Request-Id', 'X-Traffic-Mode'),
  ...optionalHeaders('X-Key-Expires-At'),
};
const SUCCESS = Type.Unsafe<true>({ type: 'boolean', enum: [true] });

/** @param title names the schema in the document. */
export const answer = (title: string, members: TProperties): TSchema => ({
  ...object({ success: SUCCESS, ...members }),
  title,
});

const UNITS = { minor: '1099', major: '10.99' };
const moneyOf = ({ money }: Representation) =>
  money ? ` Money is in ${money} units: ${UNITS[money]} is 10.99 USD.` : '';

/** How a parameter with several values is written, by its type. */
const STYLES = {
  array: { style: 'form', explode: false },
  object: { style: 'deepObject', explode: true },
} as const;

/** Runs the decorator when the parameters are known: their decorators run before those of methods. */
function byParameters(document: (parameters: readonly Parameter[]) => MethodDecorator): MethodDecorator {
  return (controller, name, descriptor) =>
    document(parametersOf(descriptor.value as object))(controller, name, descriptor);
}

export const ApiParameters = byParameters((parameters) =>
  applyDecorators(
    ...parameters.map(({ name, description, schema }) =>
      ApiQuery({ name, description, schema, required: false, ...STYLES[schema.type as keyof typeof STYLES] }),
    ),
  ),
);

const INCLUDES_LARGE = /\b(?:metadata|line_items)\b/;

/** The failures of lists whose rows may include large parts, and of lists by the time of the last change. */
const ApiListFailures = byParameters((parameters) =>
  ApiFailures(
    ...parameters.flatMap(({ name, description }): Error[] => {
      if (name === 'sort') return [new PageTooDeep(1_000, 'updatedAt')];
      return name === 'include' && INCLUDES_LARGE.test(description) ? [new PageTooLarge(50)] : [];
    }),
  ),
);

/** @param lines the field with the lines of a row, for a table with a row for each of them. */
export function ApiList({
  of,
  lines,
  ...operation
}: Operation & { readonly of: Representation; readonly lines?: string }): MethodDecorator {
  const data = Type.Array(ref(of.name));
  const schema = answer(`${of.name.replace(/ListItem$/, '')}Page`, { data, pagination: ref('Pagination') });
  const description = `One page of the list. \`pagination.total\` counts all rows that match the filters.${moneyOf(of)}`;
  const example = list([of.example], 1, { page: 1, limit: DEFAULT_LIMIT });
  return applyDecorators(
    AsTable(of, lines),
    ApiParameters,
    ApiRead({ description, ...operation }, { schema, example }),
    ApiListFailures,
  );
}

export interface PathParameter {
  readonly name: string;
  readonly description: string;
  /** Exists in the demo store, so that tools can send the request unchanged. */
  readonly example: string;
}

export function ApiSingle({
  of,
  by,
  ...operation
}: Operation & { of: Representation; by?: PathParameter }): MethodDecorator {
  const description = `The full record.${moneyOf(of)}`;
  const read = ApiRead({ description, ...operation }, singleOf(of));
  return by ? applyDecorators(read, ApiPath(by), ApiFailures(new NotFound(of.name))) : read;
}

export function ApiPath({ example, ...parameter }: PathParameter): MethodDecorator {
  return ApiParam({ ...parameter, required: true, schema: { type: 'string', examples: [example] } });
}

const unknownName = (what: string, path: string) =>
  new InvalidFields([{ path, message: `is not a ${what} of this request` }], `Unknown ${what}: ${path}`);

interface Answer {
  readonly status: 200 | 201;
  readonly description: string;
}

/** A body that no class describes. */
interface SchemaBody {
  readonly schema: TSchema;
  readonly example: object;
}

/** A class with a decorator of `body/fields.ts` for each field, and example values. */
interface ClassBody<Body extends object> {
  readonly type: new () => Body;
  /** The smallest valid body. */
  readonly example: Body;
  readonly moreExamples?: Readonly<Record<string, { readonly summary: string; readonly value: Body }>>;
  readonly isOptional?: boolean;
}

interface Write<Body extends object> extends Operation {
  readonly of: Representation;
  readonly body?: ClassBody<Body> | SchemaBody;
  readonly answer: Answer;
  readonly otherAnswer?: Answer;
  readonly isRepeatable?: boolean;
  /** Whether the route reports unknown fields of the body instead of refusing them. */
  readonly ignoresFields?: boolean;
}

export function ApiWrite<Body extends object>({
  of,
  body,
  answer,
  otherAnswer,
  isRepeatable = false,
  ignoresFields = false,
  failures = [],
  ...operation
}: Write<Body>): MethodDecorator {
  const { schema, example: value } = singleOf(of);
  const replayed = isRepeatable ? optionalHeaders('Idempotent-Replayed') : {};
  const ignored = ignoresFields ? optionalHeaders('X-Ignored-Fields') : {};
  const repeated = [new IdempotencyInFlight(), new IdempotencyMismatch(), new CommitOutcomeUnknown(null)];
  return applyDecorators(
    ...(isRepeatable ? [ApiIdempotencyKey] : []),
    ApiOperation(operation),
    ApiPrefer,
    ApiRequestId,
    ...(body ? [bodyOf(body), ApiFailures(new BadRequestException('Request body is not valid JSON'))] : []),
    ...[answer, ...(otherAnswer ? [otherAnswer] : [])].map(({ status, description }) =>
      ApiResponse({
        status,
        description,
        schema,
        examples: { done: { summary: 'Done', value } },
        headers: { ...KEY_HEADERS, ...replayed, ...ignored, ...optionalHeaders('X-Ignored-Parameters') },
      }),
    ),
    ApiFailures(
      ...failures,
      ...(isRepeatable ? repeated : []),
      ...(ignoresFields ? [unknownName('field', 'expected_totl')] : []),
      unknownName('query parameter', 'dry_run'),
      ...COMMON_FAILURES,
    ),
  );
}

function bodyOf(body: NonNullable<Write<object>['body']>): MethodDecorator {
  if ('schema' in body) {
    return ApiBody({
      schema: body.schema,
      required: true,
      examples: { body: { summary: 'A body', value: body.example } },
    });
  }
  const summary = body.moreExamples ? 'The smallest' : 'A body';
  const examples = { body: { summary, value: body.example }, ...body.moreExamples };
  return ApiBody({ type: body.type, required: !body.isOptional, examples });
}

function singleOf({ name, example }: Representation) {
  return { schema: answer(`${name}Answer`, { data: ref(name) }), example: single(example) };
}

export function ApiRead(
  { failures = [], ...operation }: Operation,
  { schema, example }: { readonly schema: TSchema; readonly example: unknown },
): MethodDecorator {
  const examples = { found: { summary: 'Found', value: example } };
  return applyDecorators(
    ApiOperation(operation),
    ApiPrefer,
    ApiRequestId,
    ApiIfNoneMatch,
    ApiResponse({
      status: 304,
      description: 'The answer is the same as the one with this `ETag`. No body.',
      headers: { ...KEY_HEADERS, ...optionalHeaders('ETag') },
    }),
    ApiResponse({
      status: 200,
      description: 'OK',
      schema,
      examples,
      headers: { ...KEY_HEADERS, ...optionalHeaders('X-Ignored-Parameters', 'ETag') },
    }),
    byParameters((parameters) => {
      const refusals = parameters.flatMap(({ refusal }) => (refusal ? [invalidField(refusal)] : []));
      return ApiFailures(unknownName('query parameter', 'statsu'), ...refusals, ...failures, ...COMMON_FAILURES);
    }),
  );
}
