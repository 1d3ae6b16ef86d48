/** A key exceeded the throttle. */
export class TooManyRequests extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests by this API key: slow down');
  }
}
