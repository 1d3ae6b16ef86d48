import { amountsOf, type OrderPreview as Preview } from '@app/application';
import { arrayOf, integer, object, oneOf, orNull, representation, text, type ValueOf } from '@app/representations';
import type { Static } from '@sinclair/typebox';
import { single, type SingleEnvelope } from '../envelope.js';
import { Quoted, toQuote } from './created-order.response.js';

const PROBLEM_CODES = [
  'currency_mismatch',
  'external_reference_taken',
  'item_unavailable',
  'out_of_stock',
  'price_changed',
] as const;

const Problem = object({
  code: oneOf(PROBLEM_CODES, 'The `X-Error-Code` that the order would get.'),
  path: text('The part of the body.', 'items[0]'),
  requested: orNull(integer('Units that the lines of this product request together. Only for `out_of_stock`.', 2)),
  available: orNull(integer('Units that are available. Only for `out_of_stock`.', 1)),
});

export const OrderPreview = representation(
  'OrderPreview',
  object({
    ...Quoted.properties,
    problems: arrayOf(
      Problem,
      'Why the order would be refused at this moment, sorted by path, lines by number. Empty when nothing speaks against it.',
      [{ code: 'out_of_stock', path: 'items[0]', requested: 2, available: 1 }],
    ),
  }),
  { money: 'major' },
);
export type OrderPreviewResponse = ValueOf<typeof OrderPreview>;

export function toOrderPreview(preview: Preview): SingleEnvelope<OrderPreviewResponse> {
  return single({ ...toQuote(amountsOf(preview.quote)), problems: toProblems(preview) });
}

function toProblems(preview: Preview): Static<typeof Problem>[] {
  const { isCurrencyMismatched, isReferenceTaken, isPriceChanged, unavailable, shortages } = preview;
  const problem = (code: (typeof PROBLEM_CODES)[number], path: string) => ({
    code,
    path,
    requested: null,
    available: null,
  });
  const lines = [
    ...unavailable.map(({ line, what }) => ({ line, ...problem('item_unavailable', `items[${line}].${what}_id`) })),
    ...shortages.map(({ line, requested, available }) => ({
      ...problem('out_of_stock', `items[${line}]`),
      line,
      requested,
      available,
    })),
  ];
  const currency = isCurrencyMismatched ? [problem('currency_mismatch', 'currency')] : [];
  const price = isPriceChanged ? [problem('price_changed', 'expected_total')] : [];
  const reference = isReferenceTaken ? [problem('external_reference_taken', 'external_reference')] : [];
  const sorted = lines.sort((a, b) => a.line - b.line).map(({ line: _line, ...rest }) => rest);
  return [...currency, ...price, ...reference, ...sorted];
}
