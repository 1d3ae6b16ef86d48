import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './api.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';

/** A response without data, from the service or from a proxy in front of it. */
export class RequestFailed extends Error {
  readonly status: number;
  /** The `X-Error-Code`, which your code should decide by. `""` when the response comes from a proxy. */
  readonly code: string;
  /** The service's `error`, which lists every fault of a body. */
  readonly reason: string;
  /** Quote this id when you report a problem; `""` when the request never reached the service. */
  readonly requestId: string;

  /** @param body the parsed response: the service's `{ error }`, or any text from a proxy. */
  constructor({ status, headers }: Response, body: unknown) {
    const requestId = headers.get('X-Request-Id') ?? '';
    const message = (body as { error?: unknown } | null | undefined)?.error;
    const reason = typeof message === 'string' ? message : 'the response comes from a proxy, not from the service';
    super(`${status}: ${reason}${requestId && ` (request ${requestId})`}`);
    this.status = status;
    this.code = headers.get('X-Error-Code') ?? '';
    this.reason = reason;
    this.requestId = requestId;
  }
}

/** Every path of the API, typed by its document: `client.GET('/v1/store')`. */
export type StoreClient = Client<paths, 'application/json'>;

/** The API typed by its OpenAPI document: the compiler checks paths, parameters, bodies and responses. */
export function storeClient(baseUrl: string, apiKey: string, retries: RetryOptions = {}): StoreClient {
  return createClient<paths, 'application/json'>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch(retries),
  });
}

/** Returns a refusal that a repetition would get again. @throws RequestFailed for every other failure. */
export function refused(response: Response, error: unknown) {
  const failure = new RequestFailed(response, error);
  if (![400, 404, 422].includes(failure.status)) throw failure;
  return { result: 'refused', code: failure.code, reason: failure.reason } as const;
}
