import { arrayOf, integer, object, optional, type ReferenceObject, text } from '@app/representations';
import { Type, type TSchema } from '@sinclair/typebox';

export const COMMON_SCHEMAS: Readonly<Record<string, TSchema>> = {
  Pagination: object(
    {
      total: integer('Rows on all pages.', 137),
      page: integer('Number of this page, after clamping.', 1),
      limit: integer('Rows on a page, after clamping.', 50),
    },
    'The last page is ceil(total / limit).',
  ),
  Error: object({
    success: Type.Unsafe<false>({ type: 'boolean', enum: [false] }),
    error: text(
      'Description of the error, for a log or a display. Names all faults of a body, separated by `; `.',
      'Not found',
    ),
    code: text('The code of the error, as in `X-Error-Code`.', 'not_found'),
    faults: optional(
      arrayOf(
        object({
          path: text('The field of the body, or the parameter of the query, as `error` names it.', 'items[2].quantity'),
          message: text('What is wrong with it.', 'must be an integer from 1 to 999'),
        }),
        'The invalid fields, at most 20. Absent when no field is at fault.',
      ),
    ),
  }),
  AuthenticationError: object(
    { error: text('Why the key was refused.', 'Invalid API key') },
    'The answer to a refused key, without `success`.',
  ),
};

const DESCRIBED = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs of the service. Quote it when you report a problem.',
    schema: { type: 'string', examples: ['8a1c5c1e-3f0b-4a55-9c43-6f2f7e0f4d11'] },
  },
  'X-Traffic-Mode': {
    description: 'Whether the key of the request is a live or a test key.',
    schema: { type: 'string', enum: ['live', 'test'], examples: ['live'] },
  },
  'X-Key-Expires-At': {
    description: 'When the key of the request expires. Only in the 30 days before.',
    schema: { type: 'string', format: 'date-time', examples: ['2026-12-01T00:00:00.000Z'] },
  },
  'X-Ignored-Parameters': {
    description: 'The query parameters that the operation does not have, percent-encoded and separated by `, `.',
    schema: { type: 'string', examples: ['statsu'] },
  },
  'X-Truncated': {
    description: '`true` when there are more than the 100,000 rows of the CSV.',
    schema: { type: 'string', enum: ['true'], examples: ['true'] },
  },
  'X-Ignored-Fields': {
    description:
      'The fields of the body that the operation does not have, except prices and totals, percent-encoded and separated by `, `.',
    schema: { type: 'string', examples: ['expected_totl, items[].colour'] },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'], examples: ['true'] },
  },
  'X-Existing-Order': {
    description: 'The id of the order that has the `external_reference`. Only with `external_reference_taken`.',
    schema: { type: 'string', format: 'uuid', examples: ['0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before you repeat the request.',
    schema: { type: 'integer', minimum: 1, examples: [1] },
  },
  ETag: {
    description: 'Identifies the bytes of the answer: send it as `If-None-Match` to get 304 while they are the same.',
    schema: { type: 'string', examples: ['"2jmj7l5rSw0yVb/vlWAYkK/YBwk="'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', enum: ['Bearer'], examples: ['Bearer'] },
  },
};

type HeaderName = keyof typeof DESCRIBED;

/** Other answers repeat the description of these headers, without `required`. */
const ALWAYS = ['X-Request-Id', 'X-Traffic-Mode', 'Retry-After', 'WWW-Authenticate'] as const satisfies HeaderName[];

export const HEADERS = Object.fromEntries(ALWAYS.map((name) => [name, { ...DESCRIBED[name], required: true }]));

export function headers(...names: readonly (typeof ALWAYS)[number][]): Record<string, ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers are not referenced, because generated clients treat a reference as required. */
export function optionalHeaders(...names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, DESCRIBED[name]]));
}
