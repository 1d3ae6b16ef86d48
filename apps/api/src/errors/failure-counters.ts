/** The metrics that count failures. Declared here, so that the metrics may import the errors and not the reverse. */
export abstract class FailureCounters {
  /** Counts a request for an order that placed none. @param code the `X-Error-Code` of the answer. */
  abstract countRefusedOrder(code: string): void;

  /** Counts a value that validation let pass and the database refused. @param code the database's own code. */
  abstract countUnusableValue(code: string): void;
}
