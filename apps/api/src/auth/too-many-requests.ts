/** A key that sends far more than any client needs. */
export class TooManyRequests extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests by this API key: slow down');
  }
}
