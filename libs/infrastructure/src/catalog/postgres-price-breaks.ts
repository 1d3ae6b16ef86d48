import { MAX_CUSTOMER_BREAKS, PriceBreaks, type CustomerPriceBreak } from '@app/application';
import { MAX_PRICE_BREAKS, type StockItem } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { listsOf, offerFor } from './list-offers.js';

interface BreakRow extends CustomerPriceBreak {
  /** Position of the unit, from 1. */
  readonly line: number;
}

// The limit of the inner look-up makes it read the index for each list, whatever the statistics say.
const FIND = `/* products.price_breaks */
  WITH lists AS MATERIALIZED (${listsOf('$2::uuid', '$3::timestamptz')})
  SELECT asked.line::int, step.quantity AS "fromQuantity", offer.price, offer.code AS "priceSource"
  FROM unnest($4::int[], $5::int[]) WITH ORDINALITY AS asked (product_id, variant_key, line)
  CROSS JOIN LATERAL (
    SELECT DISTINCT line.from_quantity FROM lists
    CROSS JOIN LATERAL (
      SELECT from_quantity FROM list_prices
      WHERE store_id = $1 AND product_id = asked.product_id AND variant_key = asked.variant_key AND list = lists.code
      ORDER BY from_quantity LIMIT ${MAX_PRICE_BREAKS}
    ) AS line
    ORDER BY line.from_quantity LIMIT ${MAX_CUSTOMER_BREAKS}
  ) AS step (quantity)
  CROSS JOIN LATERAL (${offerFor('asked.product_id', 'asked.variant_key', 'step.quantity')}) AS offer
  ORDER BY asked.line, step.quantity`;

@Injectable()
export class PostgresPriceBreaks extends PriceBreaks {
  constructor(private readonly database: Database) {
    super();
  }

  override async find(storeId: number, customerId: string, units: readonly StockItem[], at: Date) {
    const ids = [units.map(({ productId }) => productId), units.map(({ variantId }) => variantId ?? 0)];
    const rows = await this.database.queryPrepared<BreakRow>(FIND, [storeId, customerId, at, ...ids]);
    const found = units.map((): CustomerPriceBreak[] => []);
    for (const { line, fromQuantity, price, priceSource } of rows) {
      found[line - 1]?.push({ fromQuantity, price, priceSource });
    }
    return found;
  }
}
