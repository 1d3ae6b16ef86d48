import { isBlockedEmail, isBlockedPhone } from './blocked-contact.js';
import type { FraudFacts, OrdersPerHour } from './fraud-facts.js';
import { REJECT_SCORE, REVIEW_SCORE, WEAK_SCORE, type FraudRule, type Screened } from './fraud-rule.js';

type Contact = keyof OrdersPerHour;

const COUNTS: Readonly<Record<Contact, (facts: FraudFacts) => number>> = {
  email: ({ ordersByEmail }) => ordersByEmail,
  phone: ({ ordersByPhone }) => ordersByPhone,
  address: ({ ordersByAddress }) => ordersByAddress,
};
const CONTACTS = Object.keys(COUNTS) as Contact[];

/**
 * Every rule, in reporting order. Velocity counts earlier website orders of the store in the last hour: none of trusted
 * keys, and none before an order of a trusted key.
 */
export const FRAUD_RULES: readonly FraudRule[] = [
  {
    name: 'blocked_email',
    score: REJECT_SCORE,
    fires: ({ signals, settings }) => isBlockedEmail(signals.email, settings.blockedEmails),
  },
  {
    name: 'blocked_phone',
    score: REJECT_SCORE,
    fires: ({ signals, settings }) => isBlockedPhone(signals.phone, settings.blockedPhones),
  },
  {
    name: 'amount_over_limit',
    score: REVIEW_SCORE,
    fires: ({ signals, settings }) => settings.reviewAmount !== null && signals.total >= settings.reviewAmount,
  },
  ...CONTACTS.flatMap(velocity),
  { name: 'disposable_email', score: WEAK_SCORE, fires: ({ facts }) => facts.disposableEmail },
];

/** Two rules, at most one of which fires: frequent orders are a weak sign, very frequent ones suffice for a review. */
function velocity(contact: Contact): FraudRule[] {
  return [
    {
      name: `${contact}_velocity`,
      score: WEAK_SCORE,
      // One contact only: a customer's e-mail, phone and address repeat together, and would count one sign three times.
      fires: (screened) => contact === CONTACTS.find((one) => isOften(screened, one)),
    },
    {
      name: `${contact}_velocity_high`,
      score: REVIEW_SCORE,
      fires: ({ facts, settings }) => COUNTS[contact](facts) >= (settings.ordersPerHour[contact] ?? Infinity),
    },
  ];
}

/** At least half of the store's limit, and at most the limit. */
function isOften({ facts, settings }: Screened, contact: Contact): boolean {
  const limit = settings.ordersPerHour[contact] ?? Infinity;
  const count = COUNTS[contact](facts);
  return count >= limit / 2 && count < limit;
}
