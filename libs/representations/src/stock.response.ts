import type { StockLineResult, StockRecord } from '@app/application';
import { STOCK_REFUSALS } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const UNIT = {
  sku: is.text('`""` when there is none.', 'R-1-42'),
  product_id: is.id('The product.', 70),
  variant_id: is.orNull(is.id('The variant. Null for the stock of the product itself.', 12)),
  warehouse: is.text('Code of the warehouse.', 'MAIN'),
  bin: is.text('Code of the bin.', 'A-1'),
};

export const StockListItem = representation(
  'StockListItem',
  is.object({ ...UNIT, quantity: is.integer('Available units: what open orders have taken is not in it.', 7) }),
);

export function toStockListItem(row: StockRecord): ValueOf<typeof StockListItem> {
  const { sku, productId: product_id, variantId: variant_id, warehouse, bin, quantity } = row;
  return { sku, product_id, variant_id, warehouse, bin, quantity };
}

export const StockChange = representation(
  'StockChange',
  is.object({
    reference: is.text('The request\'s own number; `""` when it has none.', 'GR-4711'),
    lines: is.arrayOf(
      is.object({
        line: is.integer('Counts the lines of the request from 1.', 1),
        ...UNIT,
        product_id: is.orNull(is.id('The product. Null when it is unknown.', 70)),
        before: is.orNull(
          is.integer('Units in the bin before; null when the bin or the place of the count is unknown.', 12),
        ),
        after: is.orNull(is.integer('Units in the bin after the line.', 22)),
        short: is.integer('Units that were sold although the count did not find them.', 0),
        code: is.oneOf(['', ...STOCK_REFUSALS], 'Why the line is refused; `""` when it is applied.', {
          names: ['applied', ...STOCK_REFUSALS],
        }),
        error: is.text('The refusal for people; `""` when the line is applied.', ''),
      }),
      'The result of each line, in their order.',
    ),
  }),
);

export function toStockChange(
  reference: string | null,
  lines: readonly StockLineResult[],
): ValueOf<typeof StockChange> {
  return {
    reference: reference ?? '',
    lines: lines.map((line) => ({
      line: line.line,
      sku: line.sku,
      product_id: line.productId,
      variant_id: line.variantId,
      warehouse: line.warehouse,
      bin: line.bin,
      before: line.before,
      after: line.after,
      short: line.short,
      code: line.code ?? '',
      error: line.error,
    })),
  };
}
