export interface RetryOptions {
  /** What sends a request; the platform's `fetch` unless given. */
  readonly send?: (request: Request) => Promise<Response>;
  /** The first included. */
  readonly attempts?: number;
  /** The longest wait before the second attempt, in milliseconds; it doubles with every further one. */
  readonly firstWaitMs?: number;
}

const LONGEST_WAIT_MS = 30_000;

/**
 * A `fetch` that repeats what may succeed later (409, 429, every 5xx, no answer), with exponential back-off and full
 * jitter, and never before `Retry-After`; an answer that asks for more than 30 s is given to the caller. An order
 * without an `Idempotency-Key` is sent once: it could be placed twice.
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
        retryAfterMs = readRetryAfter(response.headers.get('Retry-After'));
        if (isLast || !isRepeatable(response.status) || retryAfterMs > LONGEST_WAIT_MS) return response;
        // An answer that nobody reads keeps its connection from the next attempt.
        await response.arrayBuffer();
      } catch (error) {
        // No answer at all: the network, or a service that restarts. A caller who gave up is not kept waiting.
        if (isLast || request.signal.aborted) throw error;
      }
      const backOffMs = Math.random() * Math.min(firstWaitMs * 2 ** (attempt - 1), LONGEST_WAIT_MS);
      await new Promise((resolve) => setTimeout(resolve, Math.max(backOffMs, retryAfterMs)));
    }
  };
}

/** 502 and 504 come from proxies, which may have passed the request on: the key makes it safe to repeat. */
function isRepeatable(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}

/** The wait in milliseconds: the service sends seconds, proxies may send a date. 0 for none, and for anything else. */
function readRetryAfter(header: string | null): number {
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header ?? '') - Date.now() : seconds * 1000;
  return Number.isNaN(waitMs) ? 0 : Math.max(waitMs, 0);
}
