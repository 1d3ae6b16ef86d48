import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { describeError } from '../errors/describe-error.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { headers, optionalHeaders, ref } from './components.js';

const MEANING: Record<number, string> = {
  400: 'The request is malformed, or a value in it is not valid. A repeated request fails again.',
  401: 'The API key is missing, malformed or unknown.',
  403: 'The API key is deactivated, revoked or expired, its store is inactive, or its scope does not permit the request.',
  404: 'The store has no such resource. Resources of other stores do not exist for this store.',
  409: 'A request with the same Idempotency-Key is still being processed. Repeat the request after `Retry-After` seconds.',
  422: 'The request is well-formed, but the order engine rejects it. No order is placed.',
  429: 'The key sends far more requests than any client needs. Wait `Retry-After` seconds.',
  500: 'The service failed. Repeat the request with exponential backoff.',
  503: 'The service is unavailable for a moment. Repeat the request after `Retry-After` seconds, with backoff.',
};
const KEY_REFUSED = [401, 403];
/** Statuses of requests that reach the service only with an accepted key. Others may be refused before. */
const KEY_ACCEPTED = [404, 409, 422, 429];

/** Documents the answers to these errors, with the status, headers, codes and messages that the API returns for each. */
export function ApiFailures(...errors: readonly Error[]): MethodDecorator {
  const answers = errors.map((error) => describeError(error));
  const statuses = [...new Set(answers.map(({ status }) => status))];
  return applyDecorators(
    ...statuses.map((status) => {
      const same = answers.filter((answer) => answer.status === status);
      const refused = KEY_REFUSED.includes(status);
      return ApiResponse({
        status,
        description: MEANING[status] ?? '',
        schema: ref(refused ? 'AuthenticationError' : 'Error'),
        examples: Object.fromEntries(same.map(({ body }) => [body.error, { summary: body.error, value: body }])),
        headers: {
          'X-Error-Code': errorCodeHeader(same.map(({ code }) => code as ErrorCode)),
          ...headers('X-Request-Id'),
          ...(KEY_ACCEPTED.includes(status) ? headers('X-Traffic-Mode') : {}),
          ...(![...KEY_ACCEPTED, 401].includes(status) ? optionalHeaders('X-Traffic-Mode') : {}),
          ...(status === 401 ? headers('WWW-Authenticate') : optionalHeaders('X-Key-Expires-At')),
          ...([400, 404, 409, 422, 500, 503].includes(status) ? optionalHeaders('X-Ignored-Parameters') : {}),
          ...(same.some(({ headers }) => 'x-existing-order' in headers) ? optionalHeaders('X-Existing-Order') : {}),
          ...(same.every(({ headers }) => 'retry-after' in headers) ? headers('Retry-After') : {}),
        },
      });
    }),
  );
}

/** The codes that a status of an operation can have. */
function errorCodeHeader(repeated: readonly ErrorCode[]) {
  const codes = [...new Set(repeated)];
  const description = 'The code of the error. The integration guide lists what to do for each code.';
  return { description, required: true, schema: { type: 'string', enum: codes, examples: codes.slice(0, 1) } };
}

/** All codes as a Markdown table, which docs/api.md contains. */
export const ERROR_CODE_TABLE = [
  '| status | `X-Error-Code` | meaning | what to do |',
  '| --- | --- | --- | --- |',
  ...Object.entries(ERROR_CODES).map(
    ([code, { status, meaning, action }]) => `| ${status} | \`${code}\` | ${meaning} | ${action} |`,
  ),
].join('\n');
