/** The API key sends far more requests than any client needs. */
export class TooManyRequests extends Error {
  readonly code = 'throttled';

  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests by this API key: slow down');
  }
}
