import type { FraudFacts, FraudSettings, FraudSignals } from './fraud-facts.js';
import { FRAUD_RULES, REJECT_SCORE, REVIEW_SCORE, type FraudRule } from './fraud-rules.js';

export type FraudVerdict = 'ACCEPT' | 'REVIEW' | 'REJECT';

export interface FraudReason {
  /** Stable name of the rule, for example `amount_over_limit`. */
  readonly rule: string;
  readonly score: number;
}

export interface FraudAssessment {
  readonly verdict: FraudVerdict;
  readonly score: number;
  readonly reasons: readonly FraudReason[];
}

export function assessFraud(
  signals: FraudSignals,
  settings: FraudSettings,
  facts: FraudFacts,
  rules: readonly FraudRule[] = FRAUD_RULES,
): FraudAssessment {
  const reasons = rules
    .filter((rule) => rule.fires({ signals, settings, facts }))
    .map(({ name, score }) => ({ rule: name, score }));
  return assessmentOf(reasons);
}

export function assessmentOf(reasons: readonly FraudReason[]): FraudAssessment {
  const score = reasons.reduce((sum, reason) => sum + reason.score, 0);
  return { verdict: verdictOf(reasons, score), score, reasons };
}

/** The reason reported when the analysis did not run. */
export const UNAVAILABLE = 'analysis_unavailable';

/** The reason of a hold that a person placed. No later analysis ends such a hold. */
export const MANUAL = 'manual';

export function rulesOf({ reasons }: FraudAssessment): string[] {
  return reasons.map(({ rule }) => rule);
}

/** Limits each score so that the sum of many fits into an int4. */
const MAX_SCORE = 1_000_000;

/** @throws when a name is taken or not in snake case, or a score is not a whole number from 1. */
export function withOwnRules(own: readonly FraudRule[]): readonly FraudRule[] {
  const names = new Set([UNAVAILABLE, MANUAL, ...FRAUD_RULES.map(({ name }) => name)]);
  for (const { name, score } of own) {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`Fraud rule ${name}: the name must be in snake case`);
    if (names.has(name)) throw new Error(`Fraud rule ${name}: another rule has this name`);
    if (!Number.isInteger(score) || score < 1 || score > MAX_SCORE) {
      throw new Error(`Fraud rule ${name}: the score must be a whole number from 1 to ${MAX_SCORE}`);
    }
    names.add(name);
  }
  return [...FRAUD_RULES, ...own];
}

/**
 * The assessment when the analysis fails or exceeds its deadline: such an order is reviewed, never silently accepted.
 */
export const ANALYSIS_UNAVAILABLE: FraudAssessment = {
  verdict: 'REVIEW',
  score: REVIEW_SCORE,
  reasons: [{ rule: UNAVAILABLE, score: REVIEW_SCORE }],
};

/** Weak signs never add up to a rejection: only a rule that rejects on its own does. */
function verdictOf(reasons: readonly FraudReason[], score: number): FraudVerdict {
  if (reasons.some((reason) => reason.score >= REJECT_SCORE)) return 'REJECT';
  return score >= REVIEW_SCORE ? 'REVIEW' : 'ACCEPT';
}
