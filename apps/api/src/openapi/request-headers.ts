import { IDEMPOTENCY_KEY_RETENTION_HOURS } from '@app/domain';
import { ApiHeader } from '@nestjs/swagger';

export const ApiRequestId = ApiHeader({
  name: 'X-Request-Id',
  description: "The client's id of the request, which the response repeats. The service replaces an invalid one.",
  required: false,
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', examples: ['till-4.2026-11-20.117'] },
});

export const ApiIfNoneMatch = ApiHeader({
  name: 'If-None-Match',
  description:
    'The `ETag` of an earlier answer to the same request. While the answer is the same, it is 304 without a body.',
  required: false,
  schema: { type: 'string', examples: ['"2jmj7l5rSw0yVb/vlWAYkK/YBwk="'] },
});

export const ApiPrefer = ApiHeader({
  name: 'Prefer',
  description:
    '`handling=strict`: an unknown query parameter, or an unknown field of an order, returns 400. Without it, they are ' +
    'ignored and named in `X-Ignored-Parameters` and `X-Ignored-Fields`.',
  required: false,
  schema: { type: 'string', examples: ['handling=strict'] },
});

export const ApiIdempotencyKey = ApiHeader({
  name: 'Idempotency-Key',
  description:
    '1 to 255 printable ASCII characters, different for every request and the same for every attempt at it: a UUID, ' +
    'or the number of the cart. The request then takes effect once, however often it is repeated. A refusal ' +
    `does not use it up. Kept for at least ${IDEMPOTENCY_KEY_RETENTION_HOURS} hours, per store and mode: live and test API keys ` +
    'have separate ones.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$', examples: ['cart-20417'] },
});
