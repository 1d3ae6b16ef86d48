import type { ItemRequest, OrderRequest } from '@app/application';
import {
  MAX_INT4,
  MAX_LINES,
  MAX_QUANTITY,
  Money,
  PAYMENT_METHODS,
  toDecimalText,
  type Currency,
  type PaymentMethod,
} from '@app/domain';
import { BadRequestException } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { refusalOf } from '../body/body.pipe.js';
import * as is from '../body/fields.js';

const ID = { min: 1, max: MAX_INT4 } as const;

export class OrderItemRequest {
  @is.IntegerUnlessField('sku', {
    ...ID,
    description: 'An active product of the store. An integer, although `id` is a string. Or `sku`.',
  })
  product_id?: number | null;

  @is.TextField({
    max: 200,
    description:
      'Instead of `product_id` and `variant_id`: the SKU of a product or variant, exactly or else in any letter case. Of ' +
      'several with it, the one that can be ordered.',
  })
  sku?: string | null;

  @is.IntegerOrNullField({
    ...ID,
    description:
      'An active variant of the product. Give it for every product that has variants. Without it, the order takes the ' +
      'product itself, at its own price and from its own stock, which is usually 0 (422, `available 0`), although ' +
      '`quantity` of the product includes the stock of its variants. Null means none.',
  })
  variant_id?: number | null;

  @is.IntegerField({ min: 1, max: MAX_QUANTITY, description: 'Units.' })
  quantity!: number;
}

export class OrderCustomerRequest {
  @is.RequiredTextField({ max: 200, description: 'Display name. Not blank.' })
  name!: string;

  @is.EmailField({
    description:
      'For receipts and look-ups. One address that mail can be sent to, of at most 254 bytes, 64 before the `@`: without ' +
      'a name, quotes, comments or an IP address; international names and domains are accepted. Kept as given; `""` means none.',
  })
  email?: string | null;

  @is.TextField({ max: 40, description: 'As dialled.' })
  phone?: string | null;

  @is.TextField({ max: 500, description: 'Shipping address, also used as billing address.' })
  address?: string | null;

  @is.TextField({ max: 200, description: 'Same.' })
  city?: string | null;

  @is.TextField({ max: 32, description: 'Same.' })
  zip?: string | null;

  @is.TextField({ max: 200, description: 'State, province or county. Same.' })
  region?: string | null;

  @is.CountryField({ description: 'ISO 3166-1 alpha-2 or XK, in any letter case; `""` means none. Same.' })
  country?: string | null;
}

@ApiSchema({
  description:
    'Other fields are ignored and named in `X-Ignored-Fields`, except prices and totals. A body has at most 256 kB, ' +
    '8 levels and 4,000 values.',
})
export class CreateOrderRequest {
  @is.ListField(OrderItemRequest, {
    max: MAX_LINES,
    description: 'The order lines. A product may be on several lines.',
  })
  items!: OrderItemRequest[];

  @is.ObjectField(OrderCustomerRequest)
  customer!: OrderCustomerRequest;

  @is.WordField({
    words: PAYMENT_METHODS,
    default: 'COD',
    message: 'must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
    description: 'In any letter case; null means COD. Card payments go through the hosted checkout.',
  })
  payment_method?: string | null;

  @is.TextField({ max: 2000, description: 'Free text.' })
  notes?: string | null;

  @is.FlagField({
    default: true,
    description: 'Whether the customer gets the confirmation. Each later change has its own `notify`.',
  })
  notify?: boolean | null;

  @is.ReferenceField({
    description:
      'Your own number of the order. Unique per store and mode (live or test), for ever: a second order with it is ' +
      'refused. Compared and kept exactly as given. Visible letters, marks, digits, punctuation and symbols of any ' +
      'script, and plain spaces between them; no emoji with a variation selector. Null means none.',
  })
  external_reference?: string | null;

  @is.AmountField({
    description:
      'What you expect the order to cost, as `total` of a preview shows it, in major units, rounded to the nearest minor ' +
      'unit. If the total differs, the order is refused with 422 `price_changed`. Null means any total.',
  })
  expected_total?: number | null;

  @is.CurrencyField({
    description:
      "The currency that you expect, ISO 4217 in any letter case. If it is not the store's, the order is refused " +
      'with 422 `currency_mismatch`. Null means that of the store.',
  })
  currency?: string | null;
}

/** @param inStore the currency of the store. @throws BadRequestException */
export function toOrderRequest(body: CreateOrderRequest, inStore: Currency): OrderRequest {
  const faults = body.items.flatMap((item, index) => faultsOf(item).map((fault) => `items[${index}]${fault}`));
  if (faults.length > 0) throw refusalOf(faults);
  const { items, customer, payment_method, notes, notify, external_reference, expected_total, currency } = body;
  const { name, email, phone, address, city, zip, region, country } = customer;
  return {
    items: items.map(toItem),
    customer: { name, email: email ?? '', phone: phone ?? '' },
    address: {
      address: address ?? '',
      city: city ?? '',
      zip: zip ?? '',
      region: region ?? '',
      country: country?.toUpperCase() ?? '',
    },
    paymentMethod: (payment_method?.toUpperCase() ?? 'COD') as PaymentMethod,
    notes: notes ?? '',
    externalReference: external_reference ?? '',
    ...(notify === false && { notify }),
    ...(typeof expected_total === 'number' && { expectedTotal: toMoney(expected_total, inStore) }),
    ...(typeof currency === 'string' && { currency: currency.toUpperCase() }),
  };
}

function faultsOf({ sku, product_id, variant_id }: OrderItemRequest): string[] {
  if (!sku) return [];
  if (product_id) return [' must have either sku or product_id'];
  return variant_id ? ['.variant_id needs product_id'] : [];
}

/** The fields are those of the hash by which an Idempotency-Key knows its request. */
function toItem({ sku, product_id, variant_id, quantity }: OrderItemRequest): ItemRequest {
  if (sku) return { sku, quantity };
  return { productId: product_id ?? 0, variantId: variant_id ?? null, quantity };
}

function toMoney(expectedTotal: number, currency: Currency): Money {
  try {
    return Money.nearest(expectedTotal, currency);
  } catch {
    const most = toDecimalText(Money.ofMinor(Number.MAX_SAFE_INTEGER, currency));
    throw new BadRequestException(`expected_total must be a number from 0 to ${most}`);
  }
}
