import { amountsOf, type OrderPreview as Preview } from '@app/application';
import { sumsOf, taxLinesOf, toDecimal } from '@app/domain';
import type { Static } from '@sinclair/typebox';
import { Quoted, QuotedItem, toQuote } from './created-order.response.js';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

/** The field of an item that names what is unavailable. */
export const ITEM_FIELDS = { product: 'product_id', variant: 'variant_id', sku: 'sku' } as const;

const PROBLEM_CODES = [
  'currency_mismatch',
  'external_reference_taken',
  'item_unavailable',
  'out_of_stock',
  'price_changed',
  'quantity_not_offered',
] as const;

const Problem = is.object({
  code: is.oneOf(PROBLEM_CODES, 'The `X-Error-Code` that the order would get.'),
  path: is.text('The part of the body.', 'items[0]'),
  requested: is.orNull(
    is.integer(
      'Units that the lines of this product request together. Only for `out_of_stock` and `quantity_not_offered`.',
      2,
    ),
  ),
  available: is.orNull(is.integer('Units that are available. Only for `out_of_stock`.', 1)),
});

const PreviewedItem = is.object({
  ...QuotedItem.properties,
  price_source: is.orNull(is.text('The price list that gives the price. Null: the catalog or the client.', 'DEALERS')),
});

const TaxSum = is.object({
  name: is.text('Name of the tax.', 'VAT'),
  rate: is.percent('With at most 4 decimals.', 20),
  included: is.flag('Whether the prices of the lines and the shipping include it.'),
  amount: is.majorUnits('The tax.', 26.63),
});

export const OrderPreview = representation(
  'OrderPreview',
  is.object({
    ...Quoted.properties,
    items: is.arrayOf(PreviewedItem, 'The lines, in the order of the request.'),
    tax_lines: is.arrayOf(TaxSum, 'The taxes of the lines and the shipping, by name and rate.', []),
    tax: is.majorUnits('Tax. If the prices include it, the `subtotal` already contains it.', 0),
    shipping: is.majorUnits('Shipping.', 0),
    discount: is.majorUnits('Discount; positive where it lowers the `total`.', 0),
    problems: is.arrayOf(
      Problem,
      'Reasons for which the order would be refused now, sorted by path, lines by number. Empty when it can be placed.',
      [{ code: 'out_of_stock', path: 'items[0]', requested: 2, available: 1 }],
    ),
  }),
  { money: 'major' },
);
export function toOrderPreview(preview: Preview): ValueOf<typeof OrderPreview> {
  const { currency, charges } = preview.quote;
  const { tax, discount } = sumsOf(charges);
  const sums = taxLinesOf(charges);
  const quoted = toQuote(amountsOf(preview.quote));
  return {
    ...quoted,
    items: quoted.items.map((item, index) => {
      return { ...item, price_source: preview.quote.lines[index]?.priceSource ?? null };
    }),
    tax_lines: sums.map(({ amount, ...rest }) => ({ ...rest, amount: toDecimal(amount, currency) })),
    tax: toDecimal(tax, currency),
    shipping: toDecimal(charges.shipping, currency),
    discount: toDecimal(discount, currency),
    problems: toProblems(preview),
  };
}

function toProblems(preview: Preview): Static<typeof Problem>[] {
  const { isCurrencyMismatched, isReferenceTaken, isPriceChanged, unavailable, notOffered, shortages } = preview;
  const problem = (code: (typeof PROBLEM_CODES)[number], path: string) => {
    return { code, path, requested: null, available: null };
  };
  const lines = [
    ...unavailable.map(({ line, what }) => {
      return { line, ...problem('item_unavailable', `items[${line}].${ITEM_FIELDS[what]}`) };
    }),
    ...notOffered.map(({ line, requested }) => {
      return { line, ...problem('quantity_not_offered', `items[${line}].quantity`), requested };
    }),
    ...shortages.map(({ line, requested, available }) => {
      return { line, ...problem('out_of_stock', `items[${line}]`), requested, available };
    }),
  ];
  return [
    ...(isCurrencyMismatched ? [problem('currency_mismatch', 'currency')] : []),
    ...(isPriceChanged ? [problem('price_changed', 'expected_total')] : []),
    ...(isReferenceTaken ? [problem('external_reference_taken', 'external_reference')] : []),
    ...lines.sort((a, b) => a.line - b.line).map(({ line: _, ...rest }) => rest),
  ];
}
