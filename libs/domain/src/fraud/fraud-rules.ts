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

// Below 50 orders, the top 5 % are fewer than three, and one odd order would decide the baseline.
const ENOUGH_ORDERS = 50;
// Totals spread widely, so the factor on the 95th percentile is large. The percentile moves only once 5 % of the orders
// are that large.
const TOTAL_FACTOR = 4;
// Well above the largest order so far: a store that sells single pieces may sell four at once.
const UNITS_FACTOR = 3;
const FEWEST_ODD_UNITS = 10;

/**
 * Every rule, in reporting order. Velocity counts earlier website orders of the store in the last hour: none of trusted
 * keys, and none before an order of a trusted key. The baseline comes from the store's recent orders and needs 50 of them.
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
  // One rule covers the order and its largest line: they grow together, and two rules would count one sign twice.
  {
    name: 'quantity_above_usual',
    score: WEAK_SCORE,
    fires: ({ signals: { items }, facts: { baseline } }) => {
      const quantities = items.map(({ quantity }) => quantity);
      return (
        baseline.orders >= ENOUGH_ORDERS &&
        (isOdd(sum(quantities), baseline.mostUnits) || isOdd(Math.max(0, ...quantities), baseline.mostUnitsOfLine))
      );
    },
  },
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

function isOdd(units: number, most: number): boolean {
  return units >= FEWEST_ODD_UNITS && units > most * UNITS_FACTOR;
}

function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + quantity, 0);
}
