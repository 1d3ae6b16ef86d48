import type { ItemRequest, OrderRequest } from '@app/application';
import {
  MAX_INT4,
  MAX_LINES,
  MAX_PAYMENT_TERMS_DAYS,
  MAX_QUANTITY,
  MAX_TAX_NAME,
  MAX_TAXES,
  mapAddressFields,
  minorUnitExponent,
  Money,
  PAYMENT_METHODS,
  sumByRate,
  toDecimalText,
  type BillingAddress,
  type Currency,
  type GivenCharges,
  type LineCharges,
  type Metadata,
  type PaymentMethod,
  type Tax,
} from '@app/domain';
import { isDeepStrictEqual } from 'node:util';
import { ApiSchema } from '@nestjs/swagger';
import { AddressBody, AddressFields, toAddress, toAddressPatch } from '../body/address-fields.js';
import * as is from '../body/fields.js';
import { faultsOfHighPrice, refuseLines } from '../body/unit-fields.js';
import { invalidField, InvalidFields, type Fault } from '../errors/invalid-fields.js';

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

  @is.MetadataField({ description: 'Your own fields of the line.' })
  metadata?: Metadata | null;
}

export class TaxRequest {
  @is.RequiredTextField({ max: MAX_TAX_NAME, description: 'Such as VAT.' })
  name!: string;

  @is.TaxRateField({ description: 'In percent.' })
  rate!: number;

  @is.MinorUnitsField({ description: 'The tax.' })
  amount!: number;
}

export const Taxes = (description: string) =>
  is.ListField(TaxRequest, { min: 0, max: MAX_TAXES, isOptional: true, description });

const MINOR = { min: 0, max: Number.MAX_SAFE_INTEGER };

@ApiSchema({ name: 'OrderItemRequest' })
export class PricedItemRequest extends OrderItemRequest {
  @is.DecimalField({ description: 'The price of one unit, instead of that of the catalog.' })
  unit_price?: number | string | null;

  @Taxes('The taxes of the line.')
  tax?: TaxRequest[] | null;

  @is.IntegerOrNullField({ ...MINOR, description: 'The discount of the line, in minor units.' })
  discount_amount?: number | null;
}

@AddressFields
@ApiSchema({ description: 'With the address to which the order ships.' })
export class OrderCustomerRequest extends AddressBody {
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
}

@AddressFields
@ApiSchema({
  description:
    'Another place for the address in `customer`, as answers have it. A field that is in both must be the same.',
})
export class ShippingAddressRequest extends AddressBody {}

@AddressFields
@ApiSchema({ description: 'Where the invoice goes. Without a field that has a value: the shipping address.' })
export class BillingRequest extends AddressBody {
  @is.TextField({ max: 200, description: 'Name on the invoice.' })
  name?: string | null;
}

const ABOUT =
  'Other fields are ignored and named in `X-Ignored-Fields`, except totals. A body has at most 256 kB, 8 levels and 4,000 values.';

@ApiSchema({ description: ABOUT })
export class CreateOrderRequest {
  @is.ListField(OrderItemRequest, {
    max: MAX_LINES,
    alias: 'line_items',
    description: 'The order lines. A product may be on several lines.',
  })
  items?: OrderItemRequest[] | null;

  @is.ListField(OrderItemRequest, {
    max: MAX_LINES,
    isOptional: true,
    description: 'Another name of `items`, which answers have. Both at once must be the same.',
  })
  line_items?: OrderItemRequest[] | null;

  @is.UuidField({
    description:
      'The account that orders: its price lists apply, and the order is linked to it. Unknown: 422 `unknown_customer`. Null ' +
      'means the account with the e-mail of the customer, or else the only one with a contact who has it, if there is one.',
  })
  customer_id?: string | null;

  @is.ObjectField(OrderCustomerRequest)
  customer!: OrderCustomerRequest;

  @is.OptionalObjectField(ShippingAddressRequest)
  shipping_address?: ShippingAddressRequest | null;

  @is.OptionalObjectField(BillingRequest)
  billing?: BillingRequest | null;

  @is.OptionalObjectField(BillingRequest, {
    description: 'Another name of `billing`, which answers have. A field that is in both must be the same.',
  })
  billing_address?: BillingRequest | null;

  @is.WordField({
    words: PAYMENT_METHODS,
    default: 'COD',
    message: 'must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
    description: 'COD is paid on delivery, OFFLINE otherwise. In any letter case; null means COD.',
  })
  payment_method?: string | null;

  @is.TextField({ max: 2000, description: 'Free text.' })
  notes?: string | null;

  @is.FlagField({
    default: true,
    description: 'Whether the customer gets the confirmation. Each later change has its own `notify`.',
  })
  notify?: boolean | null;
  @is.MetadataField({ description: 'Your own fields of the order, such as its number in another system.' })
  metadata?: Metadata | null;

  @is.ReferenceField({
    description:
      'Your own number of the order. Unique per store and mode (live or test), for ever: a second order with it is ' +
      'refused. Compared and kept exactly as given. Visible letters, marks, digits, punctuation and symbols of any ' +
      'script, and plain spaces between them; no emoji with a variation selector. Null means none.',
  })
  external_reference?: string | null;

  @is.IntegerOrNullField({
    min: 0,
    max: MAX_PAYMENT_TERMS_DAYS,
    description: 'Payment terms in days. Null means the terms of the linked account, if any.',
  })
  payment_terms_days?: number | null;

  @is.AmountField({
    description:
      'The total that you expect, as `total` of a preview shows it, in major units, rounded to the nearest minor ' +
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

const PRICING =
  '`unit_price`, taxes, discounts and shipping are only of a key with the scope `pricing`: those of others are ignored and named.';

@ApiSchema({ name: 'CreateOrderRequest', description: `${ABOUT} ${PRICING}` })
export class PricedOrderRequest extends CreateOrderRequest {
  @is.ListField(PricedItemRequest, { max: MAX_LINES, alias: 'line_items', description: 'The order lines.' })
  override items?: PricedItemRequest[] | null = undefined;

  @is.ListField(PricedItemRequest, { max: MAX_LINES, isOptional: true, description: 'Another name of `items`.' })
  override line_items?: PricedItemRequest[] | null = undefined;

  @is.IntegerOrNullField({
    ...MINOR,
    description:
      'The shipping, in minor units. With it, or a tax or discount of a line, the service charges nothing itself.',
  })
  shipping_amount?: number | null;

  @Taxes('The taxes of the shipping.')
  shipping_tax?: TaxRequest[] | null;

  @is.FlagField({ default: false, description: 'Whether the prices and the shipping include the taxes.' })
  tax_included?: boolean | null;
}

/** Returns the charges that a client gives apart from those of its items; null when there are none. */
export function toGivenCharges(
  {
    shipping_amount,
    shipping_tax,
    tax_included,
  }: Pick<PricedOrderRequest, 'shipping_amount' | 'shipping_tax' | 'tax_included'>,
  items: readonly Partial<LineCharges>[],
): Partial<GivenCharges> | null {
  const ofOrder = {
    ...(typeof shipping_amount === 'number' && { shipping: shipping_amount }),
    ...(shipping_tax && { shippingTax: sumByRate(shipping_tax.map(toTax)) }),
    ...(typeof tax_included === 'boolean' && { isTaxIncluded: tax_included }),
  };
  const isGiven =
    Object.keys(ofOrder).length > 0 || items.some(({ tax, discount }) => tax !== undefined || discount !== undefined);
  return isGiven ? ofOrder : null;
}

/** @param list the member of the body that contains the items. @throws InvalidFields */
export function toItems(items: readonly OrderItemRequest[], currency: Currency, list = 'items'): ItemRequest[] {
  refuseLines(items, list, (item) => [...faultsOf(item), ...faultsOfPrice(item as PricedItemRequest, currency)]);
  return items.map((item) => toItem(item, currency));
}

/** @param inStore the currency of the store. @throws InvalidFields */
export function toOrderRequest(body: CreateOrderRequest, inStore: Currency): OrderRequest {
  const { customer, customer_id, payment_method, notes, notify, metadata } = body;
  const { external_reference, payment_terms_days, expected_total, currency } = body;
  const { name, email, phone } = customer;
  const items = itemsOf(body, inStore);
  const given = toGivenCharges(body as PricedOrderRequest, items);
  return {
    items,
    ...(given && { given: { isTaxIncluded: false, shipping: 0, shippingTax: [], ...given } }),
    customer: { name, email: email ?? '', phone: phone ?? '' },
    ...(customer_id && { customerId: customer_id.toLowerCase() }),
    address: toAddress(merged({ customer: addressOf(customer), shipping_address: { ...body.shipping_address } })),
    billing: toBilling(merged({ billing: { ...body.billing }, billing_address: { ...body.billing_address } })),
    paymentMethod: (payment_method?.toUpperCase() ?? 'COD') as PaymentMethod,
    notes: notes ?? '',
    ...(metadata && { metadata }),
    externalReference: external_reference ?? '',
    ...(typeof payment_terms_days === 'number' && { paymentTermsDays: payment_terms_days }),
    ...(notify === false && { notify }),
    ...(typeof expected_total === 'number' && { expectedTotal: toExpectedTotal(expected_total, inStore) }),
    ...(typeof currency === 'string' && { currency: currency.toUpperCase() }),
  };
}

function itemsOf({ items, line_items }: CreateOrderRequest, currency: Currency): ItemRequest[] {
  const read = items ? toItems(items, currency) : toItems(line_items ?? [], currency, 'line_items');
  if (items && line_items && !isDeepStrictEqual(toItems(line_items, currency, 'line_items'), read)) {
    throw invalidField('line_items must equal items if both are sent');
  }
  return read;
}

function addressOf(customer: OrderCustomerRequest): Texts {
  return mapAddressFields((name) => customer[name]);
}

type Texts = { readonly [name: string]: string | null | undefined };

/** Merges the texts of an object that a body may have under two names. @throws InvalidFields when the two differ. */
function merged(named: Readonly<Record<string, Texts>>): Record<string, string> {
  const [[first, one], [second, other]] = Object.entries(named) as [[string, Texts], [string, Texts]];
  const given = (texts: Texts) => Object.entries(toAddressPatch(texts)).filter(([, text]) => text !== '');
  const known = new Map(given(one));
  const faults = given(other)
    .filter(([name, text]) => (known.get(name) ?? text) !== text)
    .map(([name]) => ({
      path: `${second}.${name}`,
      message: `must equal ${first}.${name} if both are sent`,
    }));
  if (faults.length > 0) throw new InvalidFields(faults);
  return Object.fromEntries([...known, ...given(other)]);
}

function toBilling(body: Texts): BillingAddress | null {
  const billing = { name: body['name'] ?? '', ...toAddress(body) };
  return Object.values(billing).some((value) => value !== '') ? billing : null;
}

function faultsOf({ sku, product_id, variant_id }: OrderItemRequest): Fault[] {
  if (!sku) return [];
  if (product_id) return [{ path: '', message: 'must have either sku or product_id' }];
  return variant_id ? [{ path: '.variant_id', message: 'requires product_id' }] : [];
}

/** @throws InvalidFields */
export function faultsOfPrice({ unit_price }: Pick<PricedItemRequest, 'unit_price'>, currency: Currency): Fault[] {
  const isGiven = unit_price !== undefined && unit_price !== null;
  if (!isGiven) return [];
  const tooHigh = faultsOfHighPrice('unit_price', unit_price, currency);
  if (tooHigh.length > 0 || Money.exact(String(unit_price), currency)) return tooHigh;
  return [{ path: '.unit_price', message: `must have at most ${minorUnitExponent(currency)} decimals in ${currency}` }];
}

/** Returns the price parts of a line that a client gives. */
export function pricesOf(
  { unit_price, tax, discount_amount }: Pick<PricedItemRequest, 'unit_price' | 'tax' | 'discount_amount'>,
  currency: Currency,
) {
  const isPriced = unit_price !== undefined && unit_price !== null;
  return {
    ...(isPriced && { unitPrice: Money.parse(String(unit_price), currency) }),
    ...(tax && { tax: sumByRate(tax.map(toTax)) }),
    ...(typeof discount_amount === 'number' && { discount: discount_amount }),
  };
}

function toTax({ name, rate, amount }: TaxRequest): Tax {
  return { name, rate, amount };
}

function toItem(item: OrderItemRequest, currency: Currency): ItemRequest {
  const { sku, product_id, variant_id, quantity, metadata } = item;
  const units = { quantity, ...(metadata && { metadata }), ...pricesOf(item as PricedItemRequest, currency) };
  return sku ? { sku, ...units } : { productId: product_id ?? 0, variantId: variant_id ?? null, ...units };
}

/** @throws InvalidFields */
export function toExpectedTotal(expectedTotal: number, currency: Currency): Money {
  try {
    return Money.nearest(expectedTotal, currency);
  } catch {
    const most = toDecimalText(Money.ofMinor(Number.MAX_SAFE_INTEGER, currency));
    throw invalidField(`expected_total must be a number from 0 to ${most}`);
  }
}
