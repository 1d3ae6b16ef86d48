import { isBlockedEmail, isBlockedPhone } from './blocked-contact.js';
import type { ContactPart, FraudFacts, FraudSettings, FraudSignals } from './fraud-facts.js';

/** Only a match on the store's own block list gives this score. */
export const REJECT_SCORE = 100;
/** Sends an order to review: the store asked for it, or no honest explanation is likely. */
export const REVIEW_SCORE = 50;
/** Honest orders also show such a sign. A single one stays below {@link REVIEW_SCORE}; any two reach it. */
export const WEAK_SCORE = 30;

export interface Screened {
  readonly signals: FraudSignals;
  readonly settings: FraudSettings;
  readonly facts: FraudFacts;
}

export interface FraudRule {
  /** Orders store and show the name, so it never changes. */
  readonly name: string;
  readonly score: number;
  /** The parts of the contact that the rule depends on. When absent, the rule may depend on all of them. */
  readonly looksAt?: readonly ContactPart[];
  readonly fires: (screened: Screened) => boolean;
}

const COUNTS: Readonly<Record<ContactPart, (facts: FraudFacts) => number>> = {
  email: ({ ordersByEmail }) => ordersByEmail,
  phone: ({ ordersByPhone }) => ordersByPhone,
  address: ({ ordersByAddress }) => ordersByAddress,
};
const CONTACTS = Object.keys(COUNTS) as ContactPart[];

/** The rules are in reporting order. Velocity counts website orders of the last hour, without those of trusted keys. */
export const FRAUD_RULES: readonly FraudRule[] = [
  {
    name: 'blocked_email',
    score: REJECT_SCORE,
    looksAt: ['email'],
    fires: ({ signals, settings }) => isBlockedEmail(signals.email, settings.blockedEmails),
  },
  {
    name: 'blocked_phone',
    score: REJECT_SCORE,
    looksAt: ['phone'],
    fires: ({ signals, settings }) => isBlockedPhone(signals.phone, settings.blockedPhones),
  },
  {
    name: 'amount_over_limit',
    score: REVIEW_SCORE,
    looksAt: [],
    fires: ({ signals, settings }) => settings.reviewAmount !== null && signals.total >= settings.reviewAmount,
  },
  ...CONTACTS.flatMap(velocity),
  { name: 'disposable_email', score: WEAK_SCORE, looksAt: ['email'], fires: ({ facts }) => facts.disposableEmail },
];

/**
 * Returns two rules, of which at most one fires: frequent orders are a weak sign, very frequent ones are enough for a
 * review.
 */
function velocity(contact: ContactPart): FraudRule[] {
  return [
    {
      name: `${contact}_velocity`,
      score: WEAK_SCORE,
      looksAt: [contact],
      // Only one contact fires: a customer's e-mail, phone and address repeat together, and would count one sign three
      // times.
      fires: (screened) => contact === CONTACTS.find((one) => isOften(screened, one)),
    },
    {
      name: `${contact}_velocity_high`,
      score: REVIEW_SCORE,
      looksAt: [contact],
      fires: ({ facts, settings }) => COUNTS[contact](facts) >= (settings.ordersPerHour[contact] ?? Infinity),
    },
  ];
}

export function rulesAbout(parts: readonly ContactPart[], rules: readonly FraudRule[]): readonly FraudRule[] {
  return rules.filter(({ looksAt }) => !looksAt || looksAt.some((part) => parts.includes(part)));
}

/** Whether the count is at least half of the store's limit, and below the limit. */
function isOften({ facts, settings }: Screened, contact: ContactPart): boolean {
  const limit = settings.ordersPerHour[contact] ?? Infinity;
  const count = COUNTS[contact](facts);
  return count >= limit / 2 && count < limit;
}
