import type { StockUnit } from '@app/application';
import { isUnitPrice, MAX_INT4, MAX_UNIT_PRICE, Money, toDecimalText, type Currency } from '@app/domain';
import { InvalidFields, type Fault } from '../errors/invalid-fields.js';
import * as is from './fields.js';

/** Names a product or a variant, by SKU or by ids. */
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

/** Returns the faults with paths relative to the line. */
export function faultsOfUnit({ sku, product_id, variant_id }: UnitFields): Fault[] {
  return [
    ...(!sku === !product_id ? [{ path: '', message: 'must have either sku or product_id' }] : []),
    ...(sku && variant_id ? [{ path: '.variant_id', message: 'requires product_id' }] : []),
  ];
}

/** @param name the member of the line that has the price. */
export function faultsOfHighPrice(
  name: string,
  price: number | string | null | undefined,
  currency: Currency,
): Fault[] {
  if (price === undefined || price === null || isUnitPrice(String(price), currency)) return [];
  const highest = toDecimalText(Money.ofMinor(MAX_UNIT_PRICE, currency));
  return [{ path: `.${name}`, message: `must not be higher than ${highest}` }];
}

/** @param list the member of the body that contains the lines. @throws InvalidFields */
export function refuseLines<Line>(
  lines: readonly Line[],
  list: string,
  faultsOf: (line: Line) => readonly Fault[],
): void {
  const faults = lines.flatMap((line, index) =>
    faultsOf(line).map(({ path, message }) => ({ path: `${list}[${index}]${path}`, message })),
  );
  if (faults.length > 0) throw new InvalidFields(faults);
}

/** Returns the text for a line that is refused alone. */
export function textOfLine(faults: readonly Fault[]): string {
  return faults.map(({ path, message }) => `${path.slice(1)} ${message}`.trim()).join('; ');
}

export const NO_UNIT: StockUnit = { sku: null, productId: null, variantId: null };

export function toUnit({ sku, product_id, variant_id }: UnitFields): StockUnit {
  return { sku: sku || null, productId: product_id ?? null, variantId: variant_id ?? null };
}
