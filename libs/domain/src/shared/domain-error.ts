/**
 * How a failure should be understood by whoever asked, in the language of the business. The HTTP status for each kind
 * is chosen by the API, not here.
 */
export type FailureKind =
  | 'invalid' // the request itself is wrong; repeating it cannot succeed
  | 'not_found' // absent, or belongs to another store
  | 'rejected' // well-formed, but the store's current state refuses it
  | 'conflict'; // the same request is still being worked on

/** An expected failure. Its message is shown to API clients, so it names no internals. */
export abstract class DomainError extends Error {
  abstract readonly kind: FailureKind;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
