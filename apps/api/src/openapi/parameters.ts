import { MAX_LIMIT } from '@app/application';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_VALUES } from '../query/query-reader.js';
import type { SchemaObject } from './schema.js';

/** A query parameter that narrows a list. */
export interface Filter {
  readonly name: string;
  readonly description: string;
  readonly schema: SchemaObject;
}

/** A filter by a word, in any letter case. */
export const wordFilter = (name: string, what: string, words: readonly string[] | null, example: string): Filter => ({
  name,
  description:
    `Only those with this ${what}. Letter case does not matter; ` +
    'a value that matches no row returns an empty list, never an error.',
  schema: { type: 'string', ...(words ? { enum: [...words] } : {}), examples: [example] },
});

/** A filter by up to 100 words, in any letter case. */
export const wordsFilter = (name: string, what: string, example: string): Filter => ({
  name,
  description:
    `Only those with ${what}: up to ${MAX_VALUES}, separated by commas, or the parameter repeated. Letter case does not ` +
    'matter; a value that matches no row is missing in the answer. More values are rejected with 400.',
  schema: { type: 'string', examples: [example] },
});

/** A filter by a unique text. */
export const exactFilter = (name: string, what: string, example: string): Filter => ({
  name,
  description: `Only those with exactly this text as ${what}. A value that no row has returns an empty list, never an error.`,
  schema: { type: 'string', examples: [example] },
});

export const idFilter = (name: string, what: string): Filter => ({
  name,
  description: `${what} An id that the store does not have returns an empty list, never an error.`,
  schema: { type: 'integer', format: 'int32', examples: [7] },
});

export const flagFilter = (name: string, what: string): Filter => ({
  name,
  description: `\`true\` (or \`1\`): ${what}. Any other value, including \`false\`, does not filter.`,
  schema: { type: 'boolean', examples: [true] },
});

/** A filter that rejects unreadable values: a client that mistypes it must not read other rows than it asked for. */
export const booleanFilter = (name: string, whenTrue: string, whenFalse: string): Filter => ({
  name,
  description: `\`true\`: ${whenTrue}. \`false\`: ${whenFalse}. Letter case does not matter; any other value returns 400.`,
  schema: { type: 'boolean', examples: [true] },
});

export const searchFilter = (what: string, example: string): Filter => ({
  name: 'search',
  description:
    `Only those with this text anywhere in ${what}, in any letter case. Taken literally, without wildcards; ` +
    'trimmed; blank = no filter; the first 200 characters count.',
  schema: { type: 'string', examples: [example] },
});

export const LIMIT: Filter = {
  name: 'limit',
  description: `Rows on a page, 1 to ${MAX_LIMIT}. Values out of range are clamped, never rejected.`,
  schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, examples: [DEFAULT_LIMIT] },
};

const PAGING: readonly Filter[] = [
  LIMIT,
  {
    name: 'page',
    description:
      'The page, from 1. Values out of range are clamped, never rejected. A page past the last one is empty.',
    schema: { type: 'integer', minimum: 1, default: 1, examples: [1] },
  },
];

/** The query parameters of a list: its filters, `limit` and `page`. */
export function ApiListParameters(filters: readonly Filter[]): MethodDecorator {
  return ApiParameters([...filters, ...PAGING]);
}

export function ApiParameters(parameters: readonly Filter[]): MethodDecorator {
  return applyDecorators(...parameters.map((parameter) => ApiQuery({ ...parameter, required: false })));
}

export const ApiRequestId = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: 'X-Request-Id',
    description: "The client's id of the request, which the response repeats. The service replaces an invalid one.",
    required: false,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', examples: ['till-4.2026-11-20.117'] },
  });

export const ApiIfNoneMatch = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: 'If-None-Match',
    description: 'The `ETag` of an earlier answer to the same request. While nothing has changed, the answer is 304.',
    required: false,
    schema: { type: 'string', examples: ['W/"kYn3o0N1p9y4fO2c7Qb1Vw"'] },
  });

export const ApiPrefer = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: 'Prefer',
    description:
      '`handling=strict`: an unknown query parameter returns 400. Without it, unknown parameters are ignored and named in ' +
      '`X-Ignored-Parameters`.',
    required: false,
    schema: { type: 'string', examples: ['handling=strict'] },
  });

export const ApiIdempotencyKey = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    description:
      '1 to 255 printable ASCII characters, different for every order and the same for every attempt at it: a UUID, ' +
      'or the number of the cart. The order is then placed once, however often the request is repeated. A refusal ' +
      'does not use it up. Kept for at least 24 hours, per store and mode: live and test API keys have separate ones.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$', examples: ['cart-20417'] },
  });
