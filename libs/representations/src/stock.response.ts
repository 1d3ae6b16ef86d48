import type { StockLineResult, StockMovement as Movement, StockRecord } from '@app/application';
import { MOVEMENT_KINDS, STOCK_REFUSALS } from '@app/domain';
import { ACTOR, toActor } from './actor.js';
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
  is.object({ ...UNIT, quantity: is.integer('Available units, without those that open orders have taken.', 7) }),
);

export function toStockListItem(row: StockRecord): ValueOf<typeof StockListItem> {
  const { sku, productId: product_id, variantId: variant_id, warehouse, bin, quantity } = row;
  return { sku, product_id, variant_id, warehouse, bin, quantity };
}

export const StockMovement = representation(
  'StockMovement',
  is.object({
    at: is.timestamp('When it happened.'),
    booked_at: is.timestamp('When it was reported.'),
    ...UNIT,
    quantity: is.integer(
      'Units put in (positive) or taken out (negative); 0 for a count that found what was there.',
      -2,
    ),
    kind: is.oneOf(MOVEMENT_KINDS, 'Why the units moved. New kinds may be added.', { example: 'ORDER' }),
    reference: is.text('Of the change of stock; `""` when it has none, and for orders.', ''),
    order_id: is.orNull(
      is.uuid('The order that took the units, or to which they belonged; null for changes of stock.'),
    ),
    actor: is.orNull(is.described(ACTOR, 'Who changed the stock; null for orders.'), null),
  }),
);

export function toStockMovement(row: Movement): ValueOf<typeof StockMovement> {
  const { sku, productId: product_id, variantId: variant_id, warehouse, bin, quantity, kind, reference } = row;
  return {
    at: row.at.toISOString(),
    booked_at: row.bookedAt.toISOString(),
    ...{ sku, product_id, variant_id, warehouse, bin, quantity, kind, reference },
    order_id: row.orderId,
    actor: row.actor && toActor(row.actor),
  };
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
        short: is.integer('Units that were sold and that the count did not find.', 0),
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
