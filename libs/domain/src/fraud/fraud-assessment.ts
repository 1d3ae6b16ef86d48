export type FraudVerdict = 'ACCEPT' | 'REVIEW' | 'REJECT';

/** One rule that fired. */
export interface FraudReason {
  /** Stable name of the rule, for example `amount_over_limit`. */
  readonly rule: string;
  readonly score: number;
}

/** The outcome of screening one order. */
export interface FraudAssessment {
  readonly verdict: FraudVerdict;
  /** Sum of the scores of the rules that fired; 0 when none did. */
  readonly score: number;
  readonly reasons: readonly FraudReason[];
}

/** A store's own rules. */
export interface FraudSettings {
  readonly blockedEmails: readonly string[];
  readonly blockedPhones: readonly string[];
  /** Orders of this total or more, in minor units, are reviewed; `null` = never. */
  readonly reviewAmount: number | null;
}

/** What is known of an order when it is screened. */
export interface FraudSignals {
  readonly email: string;
  readonly phone: string;
  /** In minor units. */
  readonly total: number;
}

/** A score at which a person has a look. */
export const REVIEW_SCORE = 50;
/** A score that only the store's own block list gives. */
export const REJECT_SCORE = 100;

/** Applies the store's rules. Every rule that fires is named in the reasons. */
export function assessFraud(signals: FraudSignals, settings: FraudSettings): FraudAssessment {
  const reasons: FraudReason[] = [];
  const fired = (rule: string, score: number) => reasons.push({ rule, score });

  const email = normalizeEmail(signals.email);
  if (email && settings.blockedEmails.some((blocked) => normalizeEmail(blocked) === email)) {
    fired('blocked_email', REJECT_SCORE);
  }
  const phone = normalizePhone(signals.phone);
  if (phone && settings.blockedPhones.some((blocked) => normalizePhone(blocked) === phone)) {
    fired('blocked_phone', REJECT_SCORE);
  }
  if (settings.reviewAmount !== null && signals.total >= settings.reviewAmount) {
    fired('amount_over_limit', REVIEW_SCORE);
  }

  const score = reasons.reduce((sum, reason) => sum + reason.score, 0);
  return { verdict: verdictOf(reasons, score), score, reasons };
}

/** The verdict when the analysis failed or came too late: never a silent acceptance. */
export const ANALYSIS_UNAVAILABLE: FraudAssessment = {
  verdict: 'REVIEW',
  score: REVIEW_SCORE,
  reasons: [{ rule: 'analysis_unavailable', score: REVIEW_SCORE }],
};

function verdictOf(reasons: readonly FraudReason[], score: number): FraudVerdict {
  if (reasons.some((reason) => reason.score >= REJECT_SCORE)) return 'REJECT';
  return score >= REVIEW_SCORE ? 'REVIEW' : 'ACCEPT';
}

function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Digits only: the ways to write one number are many. */
function normalizePhone(phone: string): string {
  return phone.replace(/\D/g, '');
}
