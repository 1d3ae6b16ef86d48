import { ref } from '@app/representations';
import { ApiResponse } from '@nestjs/swagger';
import { describeError, type ErrorAnswer } from '../errors/describe-error.js';
import { ERROR_CODES } from '../errors/request-errors.js';
import { headers, optionalHeaders } from './components.js';

const MEANING: Record<number, string> = {
  400: 'The request is malformed, or a value in it is not valid. A repeated request fails again.',
  401: 'The API key is missing, malformed or unknown.',
  403: 'The API key is deactivated, revoked or expired, its store is inactive, or its scope does not permit the request.',
  404: 'The store has no such resource. Resources of other stores are never returned.',
  409: 'A request with the same Idempotency-Key is still being processed. Repeat the request after `Retry-After` seconds.',
  422: 'The request is well-formed, but the service rejects it: `X-Error-Code` says why.',
  429: 'The key sends too many requests. Wait `Retry-After` seconds.',
  500: 'The service failed. Repeat the request with exponential backoff.',
  503: 'The service is temporarily unavailable. Repeat the request after `Retry-After` seconds, with backoff.',
};
const KEY_REFUSED = [401, 403];
const DECLARED = Symbol('the failures of a route');
/** Only requests with an accepted key get these statuses. Other requests may be refused earlier. */
const KEY_ACCEPTED = [404, 409, 422, 429];

/** Documents the answers to these errors, in addition to those that other decorators of the route declare. */
export function ApiFailures(...errors: readonly Error[]): MethodDecorator {
  const added = errors.map((error) => describeError(error));
  return (controller, name, descriptor) => {
    const route = descriptor.value as object;
    const earlier = (Reflect.getMetadata(DECLARED, route) as ErrorAnswer[] | undefined) ?? [];
    Reflect.defineMetadata(DECLARED, [...earlier, ...added], route);
    for (const status of new Set(added.map((answer) => answer.status))) {
      const ofStatus = (answers: readonly ErrorAnswer[]) => answers.filter((answer) => answer.status === status);
      documentAnswers(status, ofStatus(added), ofStatus(earlier))(controller, name, descriptor);
    }
  };
}

/** Nest merges descriptions and examples with those of earlier answers, but replaces the headers. */
function documentAnswers(status: number, added: readonly ErrorAnswer[], earlier: readonly ErrorAnswer[]) {
  const said = meaningsOf(earlier);
  const all = [...earlier, ...added];
  return ApiResponse({
    status,
    description: meaningsOf(added)
      .filter((text) => !said.includes(text))
      .join(' '),
    schema: ref(KEY_REFUSED.includes(status) ? 'AuthenticationError' : 'Error'),
    examples: Object.fromEntries(added.map(({ body }) => [body.error, { summary: body.error, value: body }])),
    headers: {
      'X-Error-Code': errorCodeHeader(all.map(({ code }) => code)),
      ...headers('X-Request-Id'),
      ...(KEY_ACCEPTED.includes(status) ? headers('X-Traffic-Mode') : {}),
      ...(![...KEY_ACCEPTED, 401].includes(status) ? optionalHeaders('X-Traffic-Mode') : {}),
      ...(status === 401 ? headers('WWW-Authenticate') : optionalHeaders('X-Key-Expires-At')),
      ...([400, 404, 409, 422, 500, 503].includes(status) ? optionalHeaders('X-Ignored-Parameters') : {}),
      ...(all.some(({ headers }) => 'x-existing-order' in headers) ? optionalHeaders('X-Existing-Order') : {}),
      ...(all.some(({ headers }) => 'retry-after' in headers) ? optionalHeaders('Retry-After') : {}),
      ...(all.every(({ headers }) => 'retry-after' in headers) ? headers('Retry-After') : {}),
    },
  });
}

function meaningsOf(answers: readonly ErrorAnswer[]): string[] {
  const all = answers.map(({ status, code, body }) =>
    ERROR_CODES.has(code) ? (MEANING[status] ?? '') : body.error.replace(/\.?$/, '.'),
  );
  return [...new Set(all)];
}

function errorCodeHeader(repeated: readonly string[]) {
  const codes = [...new Set(repeated)];
  const description = 'The code of the error. The integration guide lists what to do for each code.';
  return { description, required: true, schema: { type: 'string', enum: codes, examples: codes.slice(0, 1) } };
}
