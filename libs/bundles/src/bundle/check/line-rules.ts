import {
  adjustmentOf,
  FULFILLMENT_STATUSES,
  isCountry,
  isCurrency,
  isExternalReference,
  isMailAddress,
  isReceiptNumber,
  isStorable,
  PAYMENT_STATUSES,
} from '@app/domain';
import { quoted } from './faults.js';

const STORABLE = 'must not contain NUL or half a surrogate pair';

/** The fault of a value, and the part of the value that has it (`[1].sku`). */
export interface Problem {
  readonly problem: string;
  readonly at?: string;
}

/** Returns a text in its stored form, or its problem; null stands for the `problem` that its field declares. */
export type ReadText = (text: string) => string | Problem | null;

/** The formats by the name that a field gives in `reads`. */
export const TEXTS: Readonly<Record<string, ReadText>> = {
  text: (text) => (isStorable(text) ? text : { problem: STORABLE }),
  trimmedText: trimmed,
  name: trimmed,
  email: (text) => (text === '' || isMailAddress(text) ? text : null),
  uuid: (text) => text.toLowerCase(),
  receipt: (text) => (isReceiptNumber(text) ? text : null),
  externalReference: (text) => (text === '' || isExternalReference(text) ? text : null),
  reference: (text) => (isExternalReference(text) ? text : null),
  country: (text) => (text === '' || isCountry(text) ? text : null),
  currency: (text) => (isCurrency(text) ? text : null),
  timestamp: readTimestamp,
};

/** The formats that read null as empty; the others keep it. */
export const EMPTY_FOR_NULL: ReadonlySet<string> = new Set(['text', 'trimmedText', 'email', 'country']);
/** The formats whose removal of blanks is reported. */
export const TRIMMED: ReadonlySet<string> = new Set(['trimmedText', 'name']);

function trimmed(text: string): string | Problem {
  return isStorable(text) ? text.trim() : { problem: STORABLE };
}

/** Converts a well-formed ISO 8601 timestamp to UTC in milliseconds. */
function readTimestamp(text: string): string | null {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return null;
  // Date reads 30 February as 2 March.
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  const year = moment.getUTCFullYear();
  return Number(text.slice(8, 10)) > days || year < 1 || year > 9999 ? null : moment.toISOString();
}

const MAX_DEPTH = 32;
/** Each request of the store profile reads every member of the settings. */
const MAX_SETTINGS_BYTES = 64 * 1024;
const MAX_MEMBERS = 2_000;

/** The values of a status by its field. */
const STATUSES: ReadonlyMap<unknown, readonly string[]> = new Map<string, readonly string[]>([
  ['status', PAYMENT_STATUSES],
  ['fulfillment_status', FULFILLMENT_STATUSES],
]);

/** The first two stages end in the order's own transaction, and a review holds the customer's confirmation only. */
const STATES: ReadonlyMap<string, readonly string[]> = new Map([
  ['fraud-analysis', ['done']],
  ['inventory', ['done']],
  ['notify-customer', ['pending', 'held', 'done', 'dead']],
  ['notify-merchant', ['pending', 'done', 'dead']],
  ['notify-shipment', ['pending', 'done', 'dead']],
  ['notify-cancellation', ['pending', 'done', 'dead']],
  ['notify-refund', ['pending', 'done', 'dead']],
]);

/** @param trimmed receives a call when blanks were removed. */
export type Rule = (value: never, trimmed: () => void) => Problem | null;

interface LineUnits {
  readonly line: number;
  readonly quantity: number;
}

interface EventFields {
  readonly event: string;
  readonly field?: string | null;
  readonly from?: string | null;
  readonly to?: string | null;
}

interface OrderFields extends AmountFields {
  readonly customer_email?: string;
  readonly pipeline?: readonly { readonly state: string }[];
  readonly line_items?: readonly { readonly quantity: number }[];
  readonly shipments?: readonly { readonly status: string; readonly items: readonly LineUnits[] }[];
}

interface AmountFields {
  readonly amount: number;
  readonly total_amount: number;
  readonly tax_amount?: number;
  readonly shipping_amount?: number;
  readonly discount_amount?: number;
  readonly adjustment_amount?: number;
  readonly payments?: readonly { readonly amount: number }[];
  readonly refunds?: readonly { readonly amount: number }[];
}

/**
 * The rules by the name that an object or a list gives in `rule`: they check what JSON Schema cannot express. They may
 * correct the value.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  settings: (value: unknown) => unstorable(value, MAX_DEPTH) ?? problemOfSize(value),
  attributes: (attributes: Record<string, string>, trimmed) => {
    const names = Object.keys(attributes);
    const blank = names.find((name) => name.trim() === '');
    if (blank !== undefined) return { problem: 'must have names that are not empty' };
    if (!names.every(isStorable)) return { problem: STORABLE };
    if (names.every((name) => name.trim() === name)) return null;
    if (new Set(names.map((name) => name.trim())).size < names.length) {
      return { problem: 'has two names that differ in blanks only' };
    }
    const given = Object.entries(attributes);
    for (const name of names) delete attributes[name];
    // An assignment to `__proto__` would set the prototype and lose the attribute.
    for (const [name, value] of given) {
      Object.defineProperty(attributes, name.trim(), { value, configurable: true, enumerable: true, writable: true });
    }
    trimmed();
    return null;
  },
  differentSkus: (variants: readonly { sku: string }[]) => {
    const seen = new Set<string>();
    for (const [index, { sku }] of variants.entries()) {
      if (seen.has(sku)) return { at: `[${index}].sku`, problem: `${quoted(sku)} is there twice` };
      seen.add(sku);
    }
    return null;
  },
  differentMethods: (methods: readonly { methodId: string }[]) => {
    const ids = new Set(methods.map(({ methodId }) => methodId));
    return ids.size < methods.length ? { problem: 'must not name a methodId twice' } : null;
  },
  differentReferences: (parts: readonly { reference: string }[]) => {
    const references = parts.map(({ reference }) => reference);
    const index = references.findIndex((reference, place) => references.indexOf(reference) < place);
    return index < 0
      ? null
      : { at: `[${index}].reference`, problem: `${quoted(references[index] ?? '')} is there twice` };
  },
  differentLines: (items: readonly LineUnits[]) => {
    const lines = new Set(items.map(({ line }) => line));
    return lines.size < items.length ? { problem: 'must not name a line twice' } : null;
  },
  orderEvent: ({ event, field, from, to }: EventFields) => {
    if (event !== 'status_changed') {
      return field || from || to ? { problem: `must have no field, from and to for ${event}` } : null;
    }
    const statuses = STATUSES.get(field);
    if (!statuses) return { at: '.field', problem: `must be one of ${[...STATUSES.keys()].join(', ')}` };
    const wrong = [
      { at: '.from', value: from },
      { at: '.to', value: to },
    ].find(({ value }) => !statuses.includes(value ?? ''));
    return wrong ? { at: wrong.at, problem: `must be one of ${statuses.join(', ')}` } : null;
  },
  differentStages: (stages: readonly { stage: string; reference?: string }[]) => {
    const names = new Set(stages.map(({ stage, reference = '' }) => `${stage} ${reference}`));
    return names.size < stages.length ? { problem: 'must not name a stage twice' } : null;
  },
  stateOfStage: ({ stage, state }: { stage: string; state: string }) => {
    const states = STATES.get(stage) ?? [];
    return states.includes(state) ? null : { at: '.state', problem: `must be ${states.join(', ')} for ${stage}` };
  },
  order: (order: OrderFields) => problemOfAmounts(order) ?? problemOfShipments(order) ?? problemOfHeldMail(order),
  orderItem: (item: {
    product?: string | null;
    variant?: string | null;
    unit_price: number;
    quantity: number;
    returned_quantity?: number;
  }) => {
    if (!Number.isSafeInteger(item.unit_price * item.quantity)) {
      return { problem: 'has a total (unit_price × quantity) that is too large' };
    }
    if ((item.returned_quantity ?? 0) > item.quantity) {
      return { at: '.returned_quantity', problem: 'must not exceed quantity' };
    }
    return item.variant && !item.product ? { at: '.variant', problem: 'needs a product' } : null;
  },
};

function problemOfAmounts(order: AmountFields): Problem | null {
  const { amount, tax_amount: tax = 0, shipping_amount: shipping = 0, discount_amount: discount = 0 } = order;
  const amounts = { amount, tax, shipping, discount, total: order.total_amount };
  const { payments = [], refunds = [] } = order;
  const summed = [
    Object.values(amounts),
    ...[payments, refunds].map((records) => records.map((record) => record.amount)),
  ];
  if (!summed.every(isExact)) return { problem: 'has amounts that are too large' };
  const adjustment = adjustmentOf(amounts);
  if ((order.adjustment_amount ?? adjustment) === adjustment) return null;
  return { at: '.adjustment_amount', problem: `must be ${adjustment}, the difference to total_amount` };
}

/** Whether every part of the sum is exact. */
function isExact(parts: readonly number[]): boolean {
  return Number.isSafeInteger(parts.reduce((sum, part) => sum + Math.abs(part), 0));
}

/** Void shipments have given their units to others. */
function problemOfShipments({ line_items = [], shipments = [] }: OrderFields): Problem | null {
  const left = line_items.map(({ quantity }) => quantity);
  for (const [index, { status, items }] of shipments.entries()) {
    for (const [place, { line, quantity }] of items.entries()) {
      const at = `.shipments[${index}].items[${place}]`;
      const rest = left[line - 1];
      if (rest === undefined) return { at: `${at}.line`, problem: 'is not a line of the order' };
      if (status === 'void') continue;
      if (quantity > rest) return { at: `${at}.quantity`, problem: `must be at most ${rest}, which the line has left` };
      left[line - 1] = rest - quantity;
    }
  }
  return null;
}

/** A history may have any text as its e-mail, for it sends no mail; the release of an order under review sends one. */
function problemOfHeldMail({ customer_email: email = '', pipeline = [] }: OrderFields): Problem | null {
  if (email === '' || isMailAddress(email) || !pipeline.some(({ state }) => state === 'held')) return null;
  return {
    at: '.customer_email',
    problem: 'must be an address that mail can be sent to, for the confirmation is held',
  };
}

function problemOfSize(value: unknown): Problem | null {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_SETTINGS_BYTES)
    return { problem: 'must be at most 64 kB of JSON' };
  return membersOf(value) > MAX_MEMBERS ? { problem: 'must have at most 2,000 members, at all depths' } : null;
}

/** The members of objects and the items of lists, at all depths. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + membersOf(member), 0);
}

function unstorable(value: unknown, depth: number): Problem | null {
  if (typeof value === 'string') return isStorable(value) ? null : { problem: STORABLE };
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return { problem: `must not be nested deeper than ${MAX_DEPTH} levels` };
  for (const [key, member] of Object.entries(value)) {
    const problem = isStorable(key) ? unstorable(member, depth - 1) : { problem: STORABLE };
    if (problem) return problem;
  }
  return null;
}
