import type { PriceLine } from '@app/application';
import { MAX_INT4, MAX_UNIT_PRICE, Money, toDecimalText, type Currency } from '@app/domain';
import { refusalOf } from '../body/body.pipe.js';
import * as is from '../body/fields.js';

const MAX_PRICE_LINES = 500;

export class PriceLineRequest {
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

  @is.DecimalField({
    isRequired: true,
    description: 'The new unit price, in major units of the currency of the store.',
  })
  price!: number | string;

  @is.DecimalField({
    description: 'Required: what you take the price to be. Null overwrites whatever it is.',
  })
  expected?: number | string | null;
}

export class ChangePricesRequest {
  @is.ReferenceField({
    description: "Your own number of the request. Unique among the store's changes of prices, for ever.",
  })
  reference?: string | null;

  @is.FlagField({ default: false, description: 'Whether no line changes anything when one is refused.' })
  atomic?: boolean | null;

  @is.ListField(PriceLineRequest, { max: MAX_PRICE_LINES, description: 'Each with a price and the expected one.' })
  lines!: PriceLineRequest[];
}

/** @throws BadRequestException */
export function toPriceLines(lines: readonly PriceLineRequest[], currency: Currency): PriceLine[] {
  const faults = lines.flatMap((line, index) => faultsOf(line, currency).map((fault) => `lines[${index}]${fault}`));
  if (faults.length > 0) throw refusalOf(faults);
  return lines.map(({ sku, product_id, variant_id, price, expected }) => ({
    sku: sku || null,
    productId: product_id ?? null,
    variantId: variant_id ?? null,
    price: String(price),
    expected: expected === null ? null : String(expected),
  }));
}

function faultsOf({ sku, product_id, variant_id, price, expected }: PriceLineRequest, currency: Currency): string[] {
  const most = Money.ofMinor(MAX_UNIT_PRICE, currency);
  return [
    ...(!sku === !product_id ? [' must have either sku or product_id'] : []),
    ...(sku && variant_id ? ['.variant_id needs product_id'] : []),
    ...(Money.parse(String(price), currency).minor > most.minor
      ? [`.price must not be higher than ${toDecimalText(most)}`]
      : []),
    ...(expected === undefined ? ['.expected is required'] : []),
  ];
}
