import { isDeepStrictEqual } from 'node:util';
import type { OrderRecord } from '@app/application';
import {
  adjustmentOf,
  mapAddressFields,
  MAX_TAX_NAME,
  minorUnitExponent,
  taxLinesOf,
  toDecimal,
  type Currency,
  type PostalAddress,
} from '@app/domain';
import { manyLines, oneLine } from '../platform/plain-text.js';

export interface LineFacts {
  readonly name: string;
  readonly attributes: string;
  readonly quantity: number;
  readonly unitPrice: string;
  readonly lineTotal: string;
}

/**
 * An order as display text, one safe line per value, shared by text and HTML. `''` and `[]` stand for absent values.
 */
export interface OrderFacts {
  readonly receipt: string;
  readonly placedAt: string;
  readonly isTest: boolean;
  readonly lines: readonly LineFacts[];
  readonly subtotal: string;
  /** What is charged in addition to the lines, by name. Charges of 0 are absent. */
  readonly charges: readonly (readonly [name: string, amount: string])[];
  readonly total: string;
  readonly payment: string;
  readonly customerName: string;
  readonly customerEmail: string;
  readonly customerPhone: string;
  readonly address: readonly string[];
  /** Empty when it equals the shipping address. */
  readonly billingAddress: readonly string[];
  readonly notes: readonly string[];
  /** Rules that sent the order to review; null when it is not under review. */
  readonly review: readonly string[] | null;
}

const PAYMENT: Readonly<Record<string, string>> = { COD: 'Cash on delivery', OFFLINE: 'Offline payment' };

export function orderFacts(order: OrderRecord, timeZone: string): OrderFacts {
  const money = moneyFormat(order.currency);
  return {
    receipt: oneLine(order.receiptNumber, 64),
    placedAt: localTime(order.createdAt, timeZone),
    isTest: order.isTest,
    lines: order.lines.map((line) => ({
      name: oneLine(line.name),
      attributes: Object.entries(line.attributes)
        .map(([name, value]) => `${oneLine(name, 100)}: ${oneLine(value, 200)}`)
        .join(', '),
      quantity: line.quantity,
      unitPrice: money(line.unitPrice),
      lineTotal: money(line.lineTotal),
    })),
    subtotal: money(order.amount),
    charges: chargesOf(order).map(([name, minor, remark]) => [name, `${money(minor)}${remark}`]),
    total: money(order.totalAmount),
    payment: PAYMENT[order.paymentMethod.toUpperCase()] ?? oneLine(order.paymentMethod, 100),
    customerName: oneLine(order.customer.name, 200),
    customerEmail: oneLine(order.customer.email),
    customerPhone: oneLine(order.customer.phone, 40),
    address: addressLines(order.shippingAddress),
    billingAddress: billingLines(order),
    notes: manyLines(order.notes),
    review: order.heldReasons?.map(ruleName) ?? null,
  };
}

function chargesOf(order: OrderRecord): (readonly [name: string, minor: number, remark: string])[] {
  const { amount, taxAmount: tax, shippingAmount: shipping, discountAmount: discount, totalAmount: total } = order;
  const isIncluded =
    order.isTaxIncluded || (tax > 0 && adjustmentOf({ amount, tax, shipping, discount, total }) === -tax);
  const remark = isIncluded ? ' (included)' : '';
  const taxes = taxLinesOf(order).map(({ name, rate, amount: minor }) => {
    return [`${oneLine(name, MAX_TAX_NAME)} ${rate} %`, minor, remark] as const;
  });
  const charges = [['Discount', -discount, ''] as const, ['Shipping', shipping, ''] as const].filter(
    ([, minor]) => minor !== 0,
  );
  // Another system may have given only the sum.
  const sum = tax === 0 ? [] : [['Tax', tax, remark] as const];
  return [...charges, ...(taxes.length > 0 ? taxes : sum)];
}

/** Returns one line for each field, except the postal code, which shares the line of the city. */
function addressLines(address: PostalAddress): string[] {
  const { vat_id: vatId, address: street, zip, city } = address;
  const lines = {
    ...mapAddressFields((name) => [oneLine(address[name])]),
    vat_id: [oneLine(vatId && `VAT number: ${vatId}`)],
    address: manyLines(street),
    city: [oneLine(`${zip} ${city}`)],
    zip: [],
  };
  return Object.values(lines)
    .flat()
    .filter((line) => line !== '');
}

function billingLines({ shippingAddress, billingAddress }: OrderRecord): string[] {
  const lines = [oneLine(billingAddress.name), ...addressLines(billingAddress)].filter((line) => line !== '');
  return isDeepStrictEqual(lines, addressLines(shippingAddress)) ? [] : lines;
}

/** Writes units as in `2 × Runner (Size: 42, Color: Blue)`. */
export function unitsOf({ name, attributes }: LineFacts, quantity: number): string {
  return `${quantity} × ${name}${attributes && ` (${attributes})`}`;
}

function ruleName(rule: string): string {
  return oneLine(rule, 100).replaceAll('_', ' ');
}

/** Formatters by currency. Making one takes as long as the rest of a message. */
const MONEY_FORMATS = new Map<Currency, Intl.NumberFormat>();

/** Overrides the formatter's customary decimals with those of ISO 4217, which the order uses (they differ for IQD). */
export function moneyFormat(currency: Currency): (minor: number) => string {
  const digits = minorUnitExponent(currency);
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  const format = MONEY_FORMATS.get(currency) ?? new Intl.NumberFormat('en', options);
  MONEY_FORMATS.set(currency, format);
  return (minor) => format.format(toDecimal(minor, currency));
}

/** Writes a time as in `2026-03-29 14:05 Europe/Berlin`. */
export function localTime(at: Date, timeZone: string): string {
  // The Swedish locale writes dates in the form of ISO 8601.
  return `${at.toLocaleString('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })} ${timeZone}`;
}
