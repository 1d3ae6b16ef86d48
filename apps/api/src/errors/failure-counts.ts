import type { Refusal } from './refusals.js';

/** Counts failures for the operators. */
export abstract class FailureCounts {
  /** Counts a request for an order that placed none. */
  abstract countRefusal(reason: Refusal): void;

  /** Counts a value that passed validation and that the database refused. */
  abstract countUnexpectedInput(sqlstate: string): void;
}
