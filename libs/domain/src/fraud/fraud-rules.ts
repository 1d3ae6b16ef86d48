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

// Below that, 5 % of the orders are fewer than three, and one odd order would decide the baseline.
const ENOUGH_ORDERS = 50;
// Totals spread widely, so the high quantile is stretched far. It moves only once 5 % of the orders are that large.
const TOTAL_FACTOR = 4;
// Beyond the largest order there was, and not because a store of single pieces sells four for once.
const UNITS_FACTOR = 3;
const FEWEST_ODD_UNITS = 10;

/**
 * Every rule, in the order in which they are reported. Velocity counts earlier website orders of the store in the last
 * hour; what is usual comes from the store's recent orders and needs 50 of them.
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
  {
    name: 'amount_above_usual',
    score: WEAK_SCORE,
    fires: ({ signals: { total }, facts: { baseline } }) =>
      baseline.orders >= ENOUGH_ORDERS && total > baseline.highTotal * TOTAL_FACTOR,
  },
  // One rule for the order and its largest line: they grow together, and two would make one sign look like two.
  {
    name: 'quantity_above_usual',
    score: WEAK_SCORE,
    fires: ({ signals: { quantities }, facts: { baseline } }) =>
      baseline.orders >= ENOUGH_ORDERS &&
      (isOdd(sum(quantities), baseline.mostUnits) || isOdd(Math.max(0, ...quantities), baseline.mostUnitsOfLine)),
  },
];

/** Two rules of which at most one fires: often in an hour, and so often that it is enough by itself. */
function velocity(contact: Contact): FraudRule[] {
  return [
    {
      name: `${contact}_velocity`,
      score: WEAK_SCORE,
      // One of the three: a customer's e-mail, phone and address repeat together, and would make one sign look like two.
      fires: (screened) => contact === CONTACTS.find((one) => isOften(screened, one)),
    },
    {
      name: `${contact}_velocity_high`,
      score: REVIEW_SCORE,
      fires: ({ facts, settings }) => COUNTS[contact](facts) >= (settings.ordersPerHour[contact] ?? Infinity),
    },
  ];
}

/** At least half as often as the store allows, and not more often. */
function isOften({ facts, settings }: Screened, contact: Contact): boolean {
  const limit = settings.ordersPerHour[contact] ?? Infinity;
  const count = COUNTS[contact](facts);
  return count >= limit / 2 && count < limit;
}

function isOdd(units: number, most: number): boolean {
  return units >= FEWEST_ODD_UNITS && units > most * UNITS_FACTOR;
}

function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + quantity, 0);
}
