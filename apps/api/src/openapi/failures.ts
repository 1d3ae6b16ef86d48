import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { describeError } from '../errors/describe-error.js';
import { headers, ref } from './components.js';

const MEANING: Record<number, string> = {
  400: 'The request is malformed, or has values that cannot be accepted. Repeating it cannot succeed.',
  401: 'No key, one of a wrong format, or one that does not exist.',
  403: 'The key is deactivated, revoked or expired, or its store is inactive.',
  404: "The store has no such resource. What belongs to another store is not this store's.",
  409: 'A request with the same Idempotency-Key is still being processed. Repeat it after `Retry-After` seconds.',
  422: 'The request is well-formed, but the order engine rejects it. Nothing was ordered.',
  429: 'The key sends far more requests than any client needs. Wait `Retry-After` seconds.',
  500: 'A failure on the side of the service. Repeat the request with exponential backoff.',
  503: 'The service is unavailable for a moment. Repeat the request after `Retry-After` seconds, with backoff.',
};
const KEY_REFUSED = [401, 403];

/** Documents the answers to these errors, with the status, headers and message that the API returns for each. */
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
        headers: headers(
          'X-Request-Id',
          ...(refused ? [] : (['X-Traffic-Mode', 'X-Key-Expires-At'] as const)),
          ...(status === 404 ? (['X-Ignored-Parameters'] as const) : []),
          ...('retry-after' in (same[0]?.headers ?? {}) ? (['Retry-After'] as const) : []),
          ...('www-authenticate' in (same[0]?.headers ?? {}) ? (['WWW-Authenticate'] as const) : []),
        ),
      });
    }),
  );
}
