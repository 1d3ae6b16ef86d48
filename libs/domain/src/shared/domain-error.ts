/** The class of a refusal, in the language of the business. The API chooses an HTTP status for each kind. */
export type FailureKind =
  | 'invalid' // the request itself is wrong; a repeated request fails again
  | 'not_found' // absent, or another store's
  | 'rejected' // well-formed, but the current state of the store refuses it
  | 'conflict'; // an earlier request with the same key is still running

/** An expected failure. Its message is shown to API clients, so it names no internals. */
export abstract class DomainError extends Error {
  abstract readonly kind: FailureKind;
  /** Identifies the failure to clients, metrics and logs: snake_case, unique, and stable while the text may change. */
  abstract readonly code: string;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
