/** A key exceeded the throttle. */
export class TooManyRequests extends Error {
  readonly code = 'throttled';

  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests by this API key: slow down');
  }
}
