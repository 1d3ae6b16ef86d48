import type { PriceLineResult } from '@app/application';
import { PRICE_REFUSALS, toDecimal, type Currency } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const PriceChange = representation(
  'PriceChange',
  is.object({
    reference: is.text('The request\'s own number; `""` when it has none.', 'PRICES-261127'),
    lines: is.arrayOf(
      is.object({
        line: is.integer('Counts the lines of the request from 1.', 1),
        sku: is.text('`""` when there is none.', 'R-1-42'),
        product_id: is.orNull(is.id('The product. Null when it is unknown.', 70)),
        variant_id: is.orNull(is.id('The variant. Null for the product itself.', 12)),
        before: is.orNull(
          is.majorUnits('The price before; null when the unit is unknown, or the list had none.', 79.9),
        ),
        after: is.orNull(is.majorUnits('The price after the line; null when the list has none.', 84.9)),
        code: is.oneOf(['', ...PRICE_REFUSALS], 'Why the line is refused; `""` when it is applied.', {
          names: ['applied', ...PRICE_REFUSALS],
        }),
        error: is.text('The refusal for people; `""` when the line is applied.', ''),
      }),
      'The result of each line, in their order.',
    ),
  }),
  { money: 'major' },
);

export function toPriceChange(
  reference: string | null,
  lines: readonly PriceLineResult[],
  currency: Currency,
): ValueOf<typeof PriceChange> {
  const priceOf = (minor: number | null) => (minor === null ? null : toDecimal(minor, currency));
  return {
    reference: reference ?? '',
    lines: lines.map((line) => ({
      line: line.line,
      sku: line.sku,
      product_id: line.productId,
      variant_id: line.variantId,
      before: priceOf(line.before),
      after: priceOf(line.after),
      code: line.code ?? '',
      error: line.error,
    })),
  };
}
