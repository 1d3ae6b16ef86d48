import type { FraudFacts, FraudSettings, FraudSignals } from './fraud-facts.js';

/** The score of a match on the store's own block list. No other rule gives it. */
export const REJECT_SCORE = 100;
/** The score that sends an order to review: the store asked for it, or no honest explanation is likely. */
export const REVIEW_SCORE = 50;
/** The score of a sign that honest orders also show. One alone stays below {@link REVIEW_SCORE}; any two reach it. */
export const WEAK_SCORE = 30;

export interface Screened {
  readonly signals: FraudSignals;
  readonly settings: FraudSettings;
  readonly facts: FraudFacts;
}

export interface FraudRule {
  /** Stable: the order stores it and its full record shows it. */
  readonly name: string;
  readonly score: number;
  readonly fires: (screened: Screened) => boolean;
}
