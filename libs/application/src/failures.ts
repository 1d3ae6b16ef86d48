/** The API chooses an HTTP status for each kind. */
export type ApplicationFailureKind =
  | 'unavailable' // a resource that the work needs is unreachable
  | 'late' // the work did not finish in time, although the resource may be healthy
  | 'overloaded' // a concurrency limit is reached, or this cluster does not serve the store
  | 'extension' // the code of an extension failed
  | 'unusable_value'; // the database refused a value that passed validation

/** The message never contains a driver's text: `cause` is the driver's error. */
export abstract class ApplicationError extends Error {
  abstract readonly kind: ApplicationFailureKind;
  /** Identifies the failure to clients, metrics and logs: snake_case, unique, and stable while the text may change. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

function applicationError(kind: ApplicationFailureKind, code: string, text: string) {
  return class extends ApplicationError {
    static readonly code = code;
    readonly kind = kind;
    readonly code = code;

    constructor(options?: ErrorOptions) {
      super(text, options);
    }
  };
}

export class DeadlineExceeded extends applicationError(
  'late',
  'deadline_exceeded',
  'The operation did not finish in time',
) {}

/** The work never started. */
export class Overloaded extends applicationError(
  'overloaded',
  'overloaded',
  'Too many concurrent requests: try again shortly',
) {}

/** The store is moving to another cluster, or has moved. Nothing, or nothing more, was written. */
export class StoreMoved extends applicationError(
  'overloaded',
  'store_moved',
  'The store is moving to another database: try again shortly',
) {}

/** The `OrderCharges` of an extension failed, or returned an invalid amount: `cause` says which. */
export class ChargesUnavailable extends applicationError(
  'extension',
  'charges_unavailable',
  'The charges of the order cannot be computed',
) {}

/** The `CatalogPricing` of an extension failed, or returned an invalid price: `cause` says which. */
export class PricesUnavailable extends applicationError(
  'extension',
  'prices_unavailable',
  'The prices of the order cannot be read',
) {}

/** The database is unreachable or full, or cancelled a transaction in favour of others. */
export class Unavailable extends applicationError('unavailable', 'unavailable', 'The database is unavailable') {}

/** The database is not migrated to this release. Clients handle it as an outage, with the same code. */
export class SchemaMismatch extends applicationError(
  'unavailable',
  'unavailable',
  'The database lacks a table or column of this release',
) {}

/**
 * The connection was lost during COMMIT, or the server stopped waiting for its standbys: the transaction may have taken
 * effect, or may still be lost in a failover.
 */
export class CommitOutcomeUnknown extends applicationError(
  'unavailable',
  'outcome_unknown',
  'The outcome of the commit is unknown',
) {
  constructor(cause: unknown) {
    super({ cause });
  }
}

export class UnusableValue extends applicationError(
  'unusable_value',
  'invalid_request',
  'The database refused a value',
) {}
