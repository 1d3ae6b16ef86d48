/** Counts failures for the operators. */
export abstract class FailureCounts {
  /** Counts a request for an order that placed none. @param code the `X-Error-Code` of the answer. */
  abstract countRefusedOrder(code: string): void;

  /** Counts a value that passed validation and that the database refused. @param code the database's own code. */
  abstract countUnusableValue(code: string): void;
}
