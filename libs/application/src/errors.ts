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

/** The work did not finish in time. */
export class DeadlineExceeded extends ApplicationError {
  readonly kind = 'late';
  readonly code = 'deadline_exceeded';

  constructor(options?: ErrorOptions) {
    super('The work did not finish in time', options);
  }
}

/** A concurrency limit is reached. The work has not begun. */
export class Overloaded extends ApplicationError {
  readonly kind = 'overloaded';
  readonly code = 'overloaded';

  constructor() {
    super('Too many requests at a time: try again shortly');
  }
}

/** The database is unreachable or full, or cancelled a transaction in favour of others. */
export class Unavailable extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'unavailable';

  constructor(options?: ErrorOptions) {
    super('The database is unavailable', options);
  }
}

/**
 * The database lacks a table or column of this release: it is not migrated yet. Clients see an outage, and a retry
 * before the migration is pointless.
 */
export class SchemaMismatch extends ApplicationError {
  readonly kind = 'unavailable';
  /** The code of `Unavailable`: clients handle both alike. */
  readonly code = 'unavailable';

  constructor(options?: ErrorOptions) {
    super('The database lacks a table or column of this release', options);
  }
}

/**
 * The connection was lost during COMMIT, or the server stopped waiting for its standbys: the transaction may have taken
 * effect, or may yet be lost at a fail-over.
 */
export class CommitOutcomeUnknown extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'outcome_unknown';

  constructor(cause: unknown) {
    super('The outcome of the commit is unknown', { cause });
  }
}

/** The database refused a value that validation should have refused. */
export class UnusableValue extends ApplicationError {
  readonly kind = 'unusable_value';
  readonly code = 'invalid_request';

  constructor(options?: ErrorOptions) {
    super('The database refused a value', options);
  }
}
