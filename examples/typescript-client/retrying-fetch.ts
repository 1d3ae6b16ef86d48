export interface RetryOptions {
  /** What sends a request; the platform's `fetch` unless given. */
  readonly send?: (request: Request) => Promise<Response>;
  /** The first included. */
  readonly attempts?: number;
  /** The longest wait before the second attempt, in milliseconds; it doubles with every further one. */
  readonly firstWaitMs?: number;
}

const REPEATABLE = new Set([409, 429, 500, 503]);
const LONGEST_WAIT_MS = 30_000;

/**
 * A `fetch` that repeats what may succeed later, with exponential back-off and full jitter, and never before the
 * service's `Retry-After`. An order without an `Idempotency-Key` is sent once: it could be placed twice.
 */
export function retryingFetch({ send = fetch, attempts = 5, firstWaitMs = 250 }: RetryOptions = {}) {
  return async (request: Request): Promise<Response> => {
    const mayRepeat = request.method === 'GET' || request.headers.has('Idempotency-Key');
    for (let attempt = 1; ; attempt += 1) {
      const isLast = !mayRepeat || attempt >= attempts;
      let retryAfterMs = 0;
      try {
        // A body can be sent once only.
        const response = await send(request.clone());
        if (isLast || !REPEATABLE.has(response.status)) return response;
        retryAfterMs = Number(response.headers.get('Retry-After') ?? 0) * 1000;
      } catch (error) {
        // No answer at all: the network, or a service that restarts. A caller who gave up is not kept waiting.
        if (isLast || request.signal.aborted) throw error;
      }
      const backOffMs = Math.random() * Math.min(firstWaitMs * 2 ** (attempt - 1), LONGEST_WAIT_MS);
      await new Promise((resolve) => setTimeout(resolve, Math.max(backOffMs, retryAfterMs)));
    }
  };
}
