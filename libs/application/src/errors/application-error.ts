/** The class of a technical failure. The API chooses an HTTP status for each kind. */
export type ApplicationFailureKind =
  | 'unavailable' // a resource that the work needs cannot be reached
  | 'late' // the work did not finish in time; the resource may be well
  | 'overloaded' // a concurrency limit is reached
  | 'unusable_value'; // the database refused a value that validation let pass

/** A technical failure that ports and use cases report, without a driver's message. `cause` is the driver's error. */
export abstract class ApplicationError extends Error {
  abstract readonly kind: ApplicationFailureKind;
  /** Identifies the failure to clients, metrics and logs: snake_case, unique, and stable while the text may change. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
