export interface RetryOptions {
  /** Sends a request; by default the platform's `fetch`. */
  readonly send?: (request: Request) => Promise<Response>;
  /** Number of attempts, including the first. */
  readonly attempts?: number;
  /** The longest wait before the second attempt, in milliseconds; it doubles with each further attempt. */
  readonly firstWaitMs?: number;
}

const MAX_WAIT_MS = 30_000;

/**
 * A `fetch` that retries responses that may succeed later (409, 429, every 5xx, no answer). It waits with exponential
 * back-off and full jitter, and at least as long as `Retry-After` says. It returns a response whose `Retry-After`
 * exceeds 30 s to the caller. It sends another request without an `Idempotency-Key` only once, because a retry could place an order
 * twice. A PUT or PATCH sets values, and changes nothing when it comes again.
 */
export function retryingFetch({ send = fetch, attempts = 5, firstWaitMs = 250 }: RetryOptions = {}) {
  return async (request: Request): Promise<Response> => {
    const mayRepeat = ['GET', 'PUT', 'PATCH'].includes(request.method) || request.headers.has('Idempotency-Key');
    for (let attempt = 1; ; attempt += 1) {
      const isLast = !mayRepeat || attempt >= attempts;
      let retryAfterMs = 0;
      try {
        // A body can be sent only once.
        const response = await send(request.clone());
        retryAfterMs = readRetryAfter(response.headers.get('Retry-After'));
        if (isLast || !isRepeatable(response.status) || retryAfterMs > MAX_WAIT_MS) return response;
        // An unread response would withhold its connection from the next attempt.
        await response.arrayBuffer();
      } catch (error) {
        // There is no answer: the network failed, or the service restarts. A caller who aborted must not wait.
        if (isLast || request.signal.aborted) throw error;
      }
      const backOffMs = Math.random() * Math.min(firstWaitMs * 2 ** (attempt - 1), MAX_WAIT_MS);
      await new Promise((resolve) => setTimeout(resolve, Math.max(backOffMs, retryAfterMs)));
    }
  };
}

/** 502 and 504 come from proxies that may have forwarded the request: the key makes a retry safe. */
function isRepeatable(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}

/**
 * Returns the wait in milliseconds: the service sends seconds, proxies may send a date. Returns 0 for a missing or
 * unreadable header.
 */
function readRetryAfter(header: string | null): number {
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header ?? '') - Date.now() : seconds * 1000;
  return Number.isNaN(waitMs) ? 0 : Math.max(waitMs, 0);
}
