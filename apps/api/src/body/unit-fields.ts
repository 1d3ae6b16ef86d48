import type { StockUnit } from '@app/application';
import { MAX_INT4 } from '@app/domain';
import * as is from './fields.js';

/** A line names a product or a variant: by its SKU, or by ids. */
export class UnitFields {
  @is.TextField({
    max: 200,
    description:
      'The SKU, exactly or else in any letter case. Of several units with it, the one that can be ordered. Or `product_id`.',
  })
  sku?: string | null;

  @is.IntegerOrNullField({ min: 1, max: MAX_INT4, description: 'The product, instead of `sku`.' })
  product_id?: number | null;

  @is.IntegerOrNullField({ min: 1, max: MAX_INT4, description: 'The variant. Null: the product itself.' })
  variant_id?: number | null;
}

export function faultsOfUnit({ sku, product_id, variant_id }: UnitFields): string[] {
  return [
    ...(!sku === !product_id ? [' must have either sku or product_id'] : []),
    ...(sku && variant_id ? ['.variant_id needs product_id'] : []),
  ];
}

export function toUnit({ sku, product_id, variant_id }: UnitFields): StockUnit {
  return { sku: sku || null, productId: product_id ?? null, variantId: variant_id ?? null };
}
