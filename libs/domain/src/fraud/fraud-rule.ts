import type { FraudFacts, FraudSettings, FraudSignals } from './fraud-facts.js';

/** A score that only the store's own block list gives. */
export const REJECT_SCORE = 100;
/** A score at which a person has a look: the store asked for it, or no honest explanation is left. */
export const REVIEW_SCORE = 50;
/** Of a sign that honest orders show as well: one alone stays below {@link REVIEW_SCORE}, any two reach it. */
export const WEAK_SCORE = 30;

/** All that a rule may look at. */
export interface Screened {
  readonly signals: FraudSignals;
  readonly settings: FraudSettings;
  readonly facts: FraudFacts;
}

export interface FraudRule {
  /** Stable: it is kept with the order and shown in its full record. */
  readonly name: string;
  readonly score: number;
  readonly fires: (screened: Screened) => boolean;
}
