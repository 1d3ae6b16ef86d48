import {
  ACCOUNT_SIZE,
  adjustmentOf,
  FULFILLMENT_STATUSES,
  isAccountSmall,
  isMailAddress,
  isMetadata,
  isMetadataSmall,
  isStorable,
  isTaxRate,
  METADATA_RULE,
  METADATA_SIZE,
  MAX_ORDER_TAXES,
  MAX_REFUND_LINES,
  MAX_SHIPMENT_ITEMS,
  PAYMENT_STATUSES,
  TAX_RATE_RULE,
  VALUES,
  type Metadata,
} from '@app/domain';
import type {
  BundleOrderEvent,
  BundleOrderLine,
  BundleOrderStage,
  CustomerLine,
  OrderRecordLine,
  PriceListLine,
  ProductLine,
} from '../schema/bundle.js';
import { creditedTaxesOf, placedTaxesOf, soldTaxesOf } from '../schema/order-taxes.js';
import { LEGACY_REVIEW_STAGE } from '../schema/trade-lines.js';
import { quoted } from './faults.js';

export const STORABLE = 'must not contain NUL or lone surrogates';
const EXPONENT = 'must contain only numbers that are 0 or have an absolute value from 0.000001 to below 1e21';

export interface Problem {
  readonly problem: string;
  readonly at?: string;
}

const TEXTS: Readonly<Record<string, (text: string) => string | null>> = {
  text: (text) => text,
  trimmedText: (text) => text.trim(),
  name: (text) => text.trim(),
  // A day is not a point in time, so its text stays unchanged.
  day: (text) => VALUES.day.read(text) && text,
  binReference: (text) => (text.split('/').every((code) => VALUES.code.read(code) !== null) ? text : null),
  timeZone: (text) => (isTimeZone(text) ? text : null),
};

/** Returns the stored form; null when the text is invalid. */
export function readText(kind: string, text: string): string | null {
  const read = TEXTS[kind] ?? VALUES[kind as keyof typeof VALUES].read;
  const value = read(text) ?? null;
  return value instanceof Date ? value.toISOString() : value;
}

/** These kinds read null as empty; the others keep it. */
export const EMPTY_FOR_NULL: ReadonlySet<string> = new Set(['text', 'trimmedText', 'email', 'country']);
export const TRIMMED: ReadonlySet<string> = new Set(['trimmedText', 'name']);

function isTimeZone(text: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

const MAX_DEPTH = 32;
/** Limits the settings, because each request of the store profile reads all of them. */
const MAX_SETTINGS_BYTES = 64 * 1024;
const MAX_MEMBERS = 2_000;
/** Limits images and specifications, because each read of the product contains them. */
const MAX_LIST_BYTES = 256 * 1024;
/** Limits attributes, because each order line of the variant copies them. */
const MAX_ATTRIBUTES_BYTES = 4 * 1024;

/**
 * The possible states of stages. The first two stages end in the order's own transaction. A review holds the customer's
 * confirmation.
 */
const STATES: Readonly<Record<string, readonly string[]>> = {
  'fraud-analysis': ['done'],
  inventory: ['done'],
  'notify-customer': ['pending', 'held', 'done', 'dead'],
  [LEGACY_REVIEW_STAGE]: ['held'],
};
const STATES_OF_MAILS = ['pending', 'done', 'dead'];

type Rule = (value: never, trimmed: () => void) => Problem | null;

/** Rules that JSON Schema cannot express. A rule may correct the value. */
export const RULES: Readonly<Record<string, Rule>> = {
  details: (value: unknown) => unstorable(value, MAX_DEPTH),
  settings: (value: unknown) => unstorable(value, MAX_DEPTH) ?? problemOfSize(value),
  attributes: problemOfAttributes,
  metadata: (value) => (isMetadata(value) ? null : { problem: METADATA_RULE }),
  orderEvent: problemOfEvent,
  stateOfStage: ({ stage, state }: BundleOrderStage) => {
    const states = STATES[stage] ?? STATES_OF_MAILS;
    return states.includes(state) ? null : { at: '.state', problem: `must be ${states.join(' or ')} for ${stage}` };
  },
  order: (order: OrderRecordLine) =>
    problemOfAmounts(order) ??
    problemOfTaxes(order) ??
    problemOfCharges(order) ??
    problemOfShipments(order) ??
    problemOfRefunds(order) ??
    problemOfReview(order) ??
    problemOfFee(order) ??
    problemOfHeldMail(order) ??
    problemOfTakenStock(order) ??
    problemOfMetadata(order.metadata, [...(order.line_items ?? []), ...(order.payments ?? [])]),
  customer: (customer: CustomerLine) =>
    isAccountSmall(customer) ? null : { problem: `must have at most ${ACCOUNT_SIZE} of addresses and contacts` },
  taxRate: ({ rate }: { readonly rate: number }) => (isTaxRate(rate) ? null : { at: '.rate', problem: TAX_RATE_RULE }),
  priceList: ({ code, valid_from: from, valid_to: to }: PriceListLine) => {
    // Orders and customers name the list by a reference.
    if (VALUES.reference.read(code) === null) return { at: '.code', problem: VALUES.reference.rule };
    return from && to && to < from ? { at: '.valid_to', problem: 'must not be before valid_from' } : null;
  },
  product: ({ metadata, variants, images, specifications }: ProductLine) =>
    problemOfMetadata(metadata, variants) ?? problemOfIds(variants) ?? problemOfLists({ images, specifications }),
  orderItem: ({ product, variant, unit_price, quantity, ...units }: BundleOrderLine) => {
    const { cancelled_quantity: cancelled = 0, returned_quantity: returned = 0 } = units;
    if (!Number.isSafeInteger(unit_price * quantity)) {
      return { problem: 'has a total (unit_price × quantity) that is too large' };
    }
    if (cancelled > quantity) return { at: '.cancelled_quantity', problem: 'must not exceed quantity' };
    if (returned > quantity - cancelled) {
      return { at: '.returned_quantity', problem: 'must not exceed quantity less cancelled_quantity' };
    }
    return variant && !product ? { at: '.variant', problem: 'needs a product' } : null;
  },
};

type ListItem = Readonly<Record<string, string | number | undefined>>;

export function problemOfRepetition(items: readonly ListItem[], properties: readonly string[]): Problem | null {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const values = properties.map((property) => item[property] ?? '');
    const key = JSON.stringify(values);
    if (seen.has(key)) {
      return { at: `[${index}].${properties[0]}`, problem: `${quoted(String(values[0]))} is listed twice` };
    }
    seen.add(key);
  }
  return null;
}

/** A variant that is named twice would have two SKUs. */
function problemOfIds(variants: ProductLine['variants'] = []): Problem | null {
  const seen = new Set<number>();
  const index = variants.findIndex(({ id }) => id !== undefined && (seen.has(id) || !seen.add(id)));
  return index < 0 ? null : { at: `.variants[${index}].id`, problem: 'is listed twice' };
}

/** Also removes blanks around the names. */
function problemOfAttributes(attributes: Record<string, string>, trimmed: () => void): Problem | null {
  const names = Object.keys(attributes);
  if (names.some((name) => name.trim() === '')) return { problem: 'must not have empty names' };
  if (!names.every(isStorable)) return { problem: STORABLE };
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_ATTRIBUTES_BYTES) {
    return { problem: 'must be at most 4 kB of JSON' };
  }
  if (names.every((name) => name.trim() === name)) return null;
  if (new Set(names.map((name) => name.trim())).size < names.length) {
    return { problem: 'has two names that differ only in leading or trailing whitespace' };
  }
  const given = Object.entries(attributes);
  for (const name of names) delete attributes[name];
  // An assignment to `__proto__` would set the prototype and lose the attribute.
  for (const [name, value] of given) {
    Object.defineProperty(attributes, name.trim(), { value, configurable: true, enumerable: true, writable: true });
  }
  trimmed();
  return null;
}

function problemOfEvent({ event, field, from, to }: BundleOrderEvent): Problem | null {
  if (event !== 'status_changed') {
    return field || from || to ? { problem: `must not have field, from or to for ${event}` } : null;
  }
  if (field !== 'status' && field !== 'fulfillment_status') {
    return { at: '.field', problem: 'must be one of status, fulfillment_status' };
  }
  const statuses: readonly string[] = field === 'status' ? PAYMENT_STATUSES : FULFILLMENT_STATUSES;
  const problem = `must be one of ${statuses.join(', ')}`;
  if (!statuses.includes(from ?? '')) return { at: '.from', problem };
  return statuses.includes(to ?? '') ? null : { at: '.to', problem };
}

function problemOfAmounts(order: OrderRecordLine): Problem | null {
  const { amount, tax_amount: tax = 0, shipping_amount: shipping = 0, discount_amount: discount = 0 } = order;
  const amounts = { amount, tax, shipping, discount, total: order.total_amount };
  const { payments = [], refunds = [] } = order;
  const sums = [Object.values(amounts), payments.map((each) => each.amount), refunds.map((each) => each.amount)];
  if (!sums.every(isExact)) return { problem: 'has amounts that are too large' };
  const adjustment = adjustmentOf(amounts);
  if ((order.adjustment_amount ?? adjustment) === adjustment) return null;
  return { at: '.adjustment_amount', problem: `must be ${adjustment}, so that the amounts add up to total_amount` };
}

/**
 * Limits the number of taxes: of the order, of the order as placed (without the bookings of changed lines), and of the
 * credits.
 */
function problemOfTaxes(order: OrderRecordLine): Problem | null {
  const most = `at most ${MAX_ORDER_TAXES} taxes of different names or rates`;
  if (soldTaxesOf(order).length > MAX_ORDER_TAXES) {
    return { at: '.line_items', problem: `must have ${most}, including those of shipping_tax` };
  }
  if ((placedTaxesOf(order)?.length ?? 0) > MAX_ORDER_TAXES) {
    return { at: '.bookings', problem: `must result in ${most} for the order as placed` };
  }
  return creditedTaxesOf(order).length > MAX_ORDER_TAXES ? { at: '.bookings', problem: `must credit ${most}` } : null;
}

/** More changes than the service itself makes: an order has at most 500 changes of lines, and 100 of its contact. */
const MAX_CHARGES = 1_000;

/** Limits the bookings that charge: the journal sums them for each order of a page. */
function problemOfCharges({ bookings, history = [] }: OrderRecordLine): Problem | null {
  const changes = bookings
    ? bookings.filter(({ charged = 0 }) => charged !== 0)
    : history.filter(({ event }) => event === 'lines_changed');
  if (changes.length <= MAX_CHARGES) return null;
  return { at: bookings ? '.bookings' : '.history', problem: `must change the total at most ${MAX_CHARGES} times` };
}

function isExact(parts: readonly number[]): boolean {
  return Number.isSafeInteger(parts.reduce((sum, part) => sum + Math.abs(part), 0));
}

/** Ignores void shipments, whose units may be in other shipments. */
function problemOfShipments({ line_items = [], shipments = [] }: OrderRecordLine): Problem | null {
  if (shipments.flatMap(({ items }) => items).length > MAX_SHIPMENT_ITEMS) {
    return { at: '.shipments', problem: `must have at most ${MAX_SHIPMENT_ITEMS} items in all` };
  }
  const left = line_items.map(({ quantity, cancelled_quantity = 0 }) => quantity - cancelled_quantity);
  for (const [index, { status, items }] of shipments.entries()) {
    for (const [position, { line, quantity }] of items.entries()) {
      const at = `.shipments[${index}].items[${position}]`;
      const rest = left[line - 1];
      if (rest === undefined) return { at: `${at}.line`, problem: 'is not a line of the order' };
      if (status === 'void') continue;
      if (quantity > rest)
        return { at: `${at}.quantity`, problem: `must be at most ${rest}, the units that the line has left` };
      left[line - 1] = rest - quantity;
    }
  }
  return null;
}

/** Allows a refund for more units than the line has now, because lines may have changed since. */
function problemOfRefunds({ line_items = [], refunds = [] }: OrderRecordLine): Problem | null {
  if (refunds.flatMap(({ lines = [] }) => lines).length > MAX_REFUND_LINES) {
    return { at: '.refunds', problem: `must have at most ${MAX_REFUND_LINES} lines in all` };
  }
  for (const [index, { lines = [] }] of refunds.entries()) {
    const position = lines.findIndex(({ line }) => line > line_items.length);
    if (position >= 0)
      return { at: `.refunds[${index}].lines[${position}].line`, problem: 'is not a line of the order' };
  }
  return null;
}

/** The units of a point-of-sale order have left with the customer, and nothing has come back yet. */
function problemOfTakenStock(order: OrderRecordLine): Problem | null {
  const {
    takes_stock: takesStock = false,
    source,
    fulfillment_status: status,
    line_items = [],
    shipments = [],
  } = order;
  if (!takesStock) return null;
  const without = 'of an order that takes stock';
  if (source !== 'POS') return { at: '.source', problem: `${without} must be POS` };
  if (status !== 'SHIPPED' && status !== 'DELIVERED') {
    return { at: '.fulfillment_status', problem: `${without} must be SHIPPED or DELIVERED` };
  }
  if (shipments.length > 0) return { at: '.shipments', problem: `${without} must be empty` };
  const index = line_items.findIndex(({ product, unit_price, cancelled_quantity = 0, returned_quantity = 0 }) => {
    return product && (unit_price < 0 || cancelled_quantity + returned_quantity > 0);
  });
  const problem = `${without} must have no negative unit_price, no cancelled_quantity and no returned_quantity`;
  return index < 0 ? null : { at: `.line_items[${index}]`, problem };
}

function problemOfReview({ held_reasons, fulfillment_status }: OrderRecordLine): Problem | null {
  if (!held_reasons || fulfillment_status !== 'CANCELLED') return null;
  return { at: '.held_reasons', problem: 'must be absent for a cancelled order' };
}

function problemOfFee({ cancellation_fee, fulfillment_status }: OrderRecordLine): Problem | null {
  if (!cancellation_fee || fulfillment_status === 'CANCELLED') return null;
  return { at: '.cancellation_fee', problem: 'must be absent unless the order is CANCELLED' };
}

/**
 * An imported order may have any text as its e-mail, because it sends no mail. But the release of an order under review
 * sends one.
 */
function problemOfHeldMail({ customer_email: email = '', pipeline = [] }: OrderRecordLine): Problem | null {
  if (
    email === '' ||
    isMailAddress(email) ||
    !pipeline.some(({ stage, state }) => stage === 'notify-customer' && state === 'held')
  )
    return null;
  const problem = 'must be a deliverable address because the confirmation is held';
  return { at: '.customer_email', problem };
}

function problemOfLists(lists: Readonly<Record<string, readonly unknown[] | undefined>>): Problem | null {
  const large = Object.entries(lists).find(
    ([, list]) => Buffer.byteLength(JSON.stringify(list ?? [])) > MAX_LIST_BYTES,
  );
  return large ? { at: `.${large[0]}`, problem: `must have at most ${MAX_LIST_BYTES / 1024} kB of JSON` } : null;
}

/** Limits metadata, because each read of the record contains all of it. */
function problemOfMetadata(
  own: Metadata | undefined,
  parts: readonly { readonly metadata?: Metadata }[] = [],
): Problem | null {
  const all = [own, ...parts.map(({ metadata }) => metadata)].filter((each) => each !== undefined);
  return isMetadataSmall(all)
    ? null
    : { problem: `must have at most ${METADATA_SIZE} of metadata, including that of its lines, payments or variants` };
}

function problemOfSize(value: unknown): Problem | null {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_SETTINGS_BYTES)
    return { problem: 'must be at most 64 kB of JSON' };
  return membersOf(value) > MAX_MEMBERS ? { problem: 'must have at most 2,000 members, at all depths' } : null;
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + membersOf(member), 0);
}

function unstorable(value: unknown, depth: number): Problem | null {
  if (typeof value === 'string') return isStorable(value) ? null : { problem: STORABLE };
  // PostgreSQL writes out all digits, which are 309 for 1e308.
  if (typeof value === 'number' && String(value).includes('e')) return { problem: EXPONENT };
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return { problem: `must not be nested deeper than ${MAX_DEPTH} levels` };
  for (const [key, member] of Object.entries(value)) {
    const problem = isStorable(key) ? unstorable(member, depth - 1) : { problem: STORABLE };
    if (problem) return problem;
  }
  return null;
}
