import type { FulfillmentStatus, PaymentStatus } from '@app/domain';
import type { BundleOrderLine, OrderRecordLine } from '@app/bundles';
import type { DemoProduct, SellableItem } from './demo-catalog.js';
import type { DemoPerson } from './demo-people.js';
import { NOTES } from './demo-data.js';
import { SeededRandom, WeightedChoice, zipf } from './seeded-random.js';

const ORDERS = 2500;
const DAYS = 180;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Orders younger than this are not delivered yet. */
const OPEN_DAYS = 6;
const SALES_TAX_PER_MILLE = 55;
const CROCKFORD_BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** An order line of the bundle, with the facts that the customer's account needs. */
export interface DemoOrder {
  readonly line: OrderRecordLine;
  readonly placedAt: Date;
  readonly account: DemoPerson | null;
}

type Outcome = readonly [weight: number, status: PaymentStatus, fulfillment: FulfillmentStatus];

const outcomes = (...table: readonly Outcome[]) => new WeightedChoice(table, ([weight]) => weight);

// The contract's transitions can reach every pair: payment and fulfillment move separately, but a refund follows a
// payment, and cash on delivery stays PENDING until the delivery.
const AT_THE_TILL = outcomes(
  [95, 'SUCCEEDED', 'DELIVERED'],
  [3, 'REFUNDED', 'RETURNED'],
  [2, 'CANCELLED', 'CANCELLED'],
);
const PREPAID_OPEN = outcomes(
  [25, 'SUCCEEDED', 'PENDING'],
  [15, 'SUCCEEDED', 'CONFIRMED'],
  [15, 'SUCCEEDED', 'PROCESSING'],
  [35, 'SUCCEEDED', 'SHIPPED'],
  [7, 'FAILED', 'PENDING'],
  [3, 'REFUNDED', 'CANCELLED'],
);
const PREPAID_CLOSED = outcomes(
  [86, 'SUCCEEDED', 'DELIVERED'],
  [5, 'REFUNDED', 'RETURNED'],
  [3, 'REFUNDED', 'CANCELLED'],
  [4, 'FAILED', 'CANCELLED'],
  [2, 'CANCELLED', 'CANCELLED'],
);
const ON_DELIVERY_OPEN = outcomes(
  [30, 'PENDING', 'PENDING'],
  [20, 'PENDING', 'CONFIRMED'],
  [15, 'PENDING', 'PROCESSING'],
  [30, 'PENDING', 'SHIPPED'],
  [5, 'CANCELLED', 'CANCELLED'],
);
const ON_DELIVERY_CLOSED = outcomes(
  [86, 'SUCCEEDED', 'DELIVERED'],
  [6, 'CANCELLED', 'CANCELLED'],
  [4, 'CANCELLED', 'RETURNED'],
  [3, 'REFUNDED', 'RETURNED'],
  [1, 'PENDING', 'DELIVERED'],
);

/** The buyers, the products on sale and the period. */
export interface OrderWorld {
  readonly store: string;
  readonly now: Date;
  readonly accounts: readonly DemoPerson[];
  /** People without an account. */
  readonly guests: readonly DemoPerson[];
  readonly products: readonly DemoProduct[];
}

/** The orders of the last 180 days, oldest first. */
export function demoOrders(world: OrderWorld, random: SeededRandom): DemoOrder[] {
  const shelf = world.products.filter(({ line, sellable }) => line.status !== 'DRAFT' && sellable.length > 0);
  const choices: Choices = {
    // The last tenth of the accounts never orders.
    accounts: zipf(world.accounts.slice(0, Math.ceil(world.accounts.length * 0.9)), 0.7),
    products: zipf(random.sample(shelf, shelf.length), 0.8),
    days: daysOf(world.now),
    receipts: new Set(),
  };
  // A fork per order: the weekday of `now` must not change the contents of the other orders.
  return Array.from({ length: ORDERS }, () => demoOrder(world, choices, random.fork())).sort(
    (a, b) => a.placedAt.getTime() - b.placedAt.getTime(),
  );
}

interface Choices {
  readonly accounts: WeightedChoice<DemoPerson>;
  readonly products: WeightedChoice<DemoProduct>;
  readonly days: WeightedChoice<number>;
  readonly receipts: Set<string>;
}

function demoOrder(world: OrderWorld, choices: Choices, random: SeededRandom): DemoOrder {
  const id = random.uuid();
  const source = random.chance(42) ? 'POS' : 'WEBSITE';
  const placedAt = momentOf(source, choices, world.now, random);
  const payment = random.pick(source === 'POS' ? ['CASH', 'CARD', 'CARD'] : ['COD', 'COD', 'OFFLINE', 'CARD', 'CARD']);
  const [, status, fulfillment] = outcomesOf(source, payment, placedAt, world.now).draw(random);
  const lines = orderLines(choices, placedAt, random);
  const amount = lines.reduce((sum, { unit_price, quantity }) => sum + unit_price * quantity, 0);

  const account = random.chance(source === 'POS' ? 45 : 88) ? choices.accounts.draw(random) : null;
  const buyer = account ?? (source === 'WEBSITE' ? random.pick(world.guests) : null);
  const line: OrderRecordLine = {
    kind: 'order',
    store: world.store,
    id,
    receipt_number: receiptNumber(source, placedAt, choices.receipts, random),
    source,
    status,
    fulfillment_status: fulfillment,
    payment_method: payment,
    currency: 'USD',
    amount,
    total_amount: source === 'POS' ? tillTotal(amount, random) : amount,
    customer_name: buyer?.name ?? 'Walk-in customer',
    ...(buyer === null ? {} : { customer_email: buyer.email, customer_phone: buyer.phone }),
    ...(source === 'WEBSITE' && buyer !== null ? { shipping_address: buyer.address } : {}),
    notes: source === 'WEBSITE' && random.chance(12) ? random.pick(NOTES) : '',
    created_at: placedAt.toISOString(),
    line_items: lines,
  };
  return { line, placedAt, account };
}

function outcomesOf(source: 'POS' | 'WEBSITE', payment: string, placedAt: Date, now: Date): WeightedChoice<Outcome> {
  if (source === 'POS') return AT_THE_TILL;
  const open = now.getTime() - placedAt.getTime() < OPEN_DAYS * DAY_MS;
  if (payment === 'CARD') return open ? PREPAID_OPEN : PREPAID_CLOSED;
  return open ? ON_DELIVERY_OPEN : ON_DELIVERY_CLOSED;
}

/**
 * One to five different items that the shop already had at that time; small baskets are more frequent than large ones.
 */
function orderLines({ products }: Choices, placedAt: Date, random: SeededRandom): BundleOrderLine[] {
  const basket = new Map<string, SellableItem>();
  const size = Math.min(random.integer(1, 5), random.integer(1, 5));
  while (basket.size < size) {
    const { createdAt, sellable } = products.draw(random);
    const item = random.pick(sellable);
    if (createdAt < placedAt) basket.set(item.sku, item);
  }
  return [...basket.values()].map(({ product, variant, sku, name, unitPriceCents }) => ({
    product,
    ...(variant === null ? {} : { variant }),
    sku,
    name,
    unit_price: unitPriceCents,
    quantity: random.chance(78) ? 1 : random.integer(2, 4),
  }));
}

/** Amount + sales tax − discount, in whole cents. One receipt in six has a 10 % discount, deducted before tax. */
function tillTotal(amount: number, random: SeededRandom): number {
  const discount = random.chance(17) ? Math.floor(amount / 10) : 0;
  const tax = Math.floor(((amount - discount) * SALES_TAX_PER_MILLE + 500) / 1000);
  return amount + tax - discount;
}

/** Start of the UTC days on which orders fall: weekends weigh nearly double, and sales grow by half over the period. */
function daysOf(now: Date): WeightedChoice<number> {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS - 1 }, (_, ago) => today - ago * DAY_MS);
  return new WeightedChoice(days, (day, ago) => {
    const weekend = [0, 6].includes(new Date(day).getUTCDay());
    return (weekend ? 1.8 : 1) * (1.5 - (0.5 * ago) / DAYS);
  });
}

/** The shop is open from 9 to 18 in Maine, which is 14 to 23 UTC; the website is always open. */
function momentOf(source: 'POS' | 'WEBSITE', { days }: Choices, now: Date, random: SeededRandom): Date {
  const [open, close] = source === 'POS' ? [14, 23] : [0, 24];
  const moment = days.draw(random) + random.integer(open * HOUR_MS, close * HOUR_MS - 1);
  return new Date(moment > now.getTime() ? moment - DAY_MS : moment);
}

function receiptNumber(source: 'POS' | 'WEBSITE', at: Date, taken: Set<string>, random: SeededRandom): string {
  const date = at.toISOString().slice(2, 10).replaceAll('-', '');
  const code = Array.from({ length: 6 }, () => random.pick([...CROCKFORD_BASE32])).join('');
  const receipt = `${source === 'POS' ? 'POS' : 'WEB'}-${date}-${code}`;
  if (taken.has(receipt)) return receiptNumber(source, at, taken, random);
  taken.add(receipt);
  return receipt;
}
