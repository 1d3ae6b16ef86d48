import { MAX_ID, type OrderRequest } from '@app/application';
import { MAX_LINES, MAX_QUANTITY, PAYMENT_METHODS, type PaymentMethod } from '@app/domain';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, IsOptional, ValidateIf, ValidateNested } from 'class-validator';
import { object, oneOf, orNull } from '../openapi/schema.js';
import { IsEmailAddress, IsIntegerFrom, IsOneOf, IsPresent, IsText } from './body-constraints.js';
import { isJsonObject, type JsonObject } from './json-object.js';

/** In characters, which are code points. */
const LONGEST = { name: 200, email: 254, phone: 40, address: 500, city: 200, zip: 32, notes: 2000 };
const ID = { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_ID };
const ITEMS_SIZE = { message: `must have 1 to ${MAX_LINES} entries` };

export class OrderItemRequest {
  @IsIntegerFrom(1, MAX_ID)
  product_id: number;

  @ValidateIf((item: OrderItemRequest) => item.variant_id !== undefined)
  @IsIntegerFrom(1, MAX_ID)
  variant_id?: number;

  @IsIntegerFrom(1, MAX_QUANTITY)
  quantity: number;

  constructor({ product_id, variant_id, quantity }: JsonObject) {
    Object.assign(this, { product_id, variant_id, quantity });
  }
}

export class OrderCustomerRequest {
  // The lowest decorator is checked first, and the first fault of a field is the one that is told.
  @IsText(LONGEST.name)
  @IsPresent()
  name: string;

  @IsOptional()
  @IsEmailAddress(LONGEST.email)
  email?: string | null;

  @IsOptional()
  @IsText(LONGEST.phone)
  phone?: string | null;

  @IsOptional()
  @IsText(LONGEST.address)
  address?: string | null;

  @IsOptional()
  @IsText(LONGEST.city)
  city?: string | null;

  @IsOptional()
  @IsText(LONGEST.zip)
  zip?: string | null;

  constructor({ name, email, phone, address, city, zip }: JsonObject) {
    Object.assign(this, { name, email, phone, address, city, zip });
  }
}

/**
 * The body of `POST /v1/orders`, as it came and to be validated. Whatever else a client sends, prices and totals
 * included, is left behind before anything looks at it.
 */
export class CreateOrderRequest {
  @ArrayMaxSize(MAX_LINES, ITEMS_SIZE)
  @ArrayMinSize(1, ITEMS_SIZE)
  @IsArray({ message: 'must be an array' })
  @IsPresent()
  items: OrderItemRequest[];

  @ValidateNested()
  @IsObject({ message: 'must be an object' })
  customer: OrderCustomerRequest;

  @IsOptional()
  @IsOneOf(
    PAYMENT_METHODS,
    'must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
  )
  payment_method?: string | null;

  @IsOptional()
  @IsText(LONGEST.notes)
  notes?: string | null;

  constructor({ items, customer, payment_method, notes }: JsonObject) {
    Object.assign(this, {
      // One more than there may be tells that there are too many.
      items: Array.isArray(items) ? items.slice(0, MAX_LINES + 1).map(itemOf) : items,
      // Without a customer the first thing missing is the name.
      customer: isJsonObject(customer ?? {}) ? new OrderCustomerRequest((customer ?? {}) as JsonObject) : customer,
      payment_method,
      notes,
    });
  }
}

function itemOf(item: unknown): unknown {
  return isJsonObject(item) ? new OrderItemRequest(item) : item;
}

/** The order as the use case takes it: an optional text that was not given is empty. */
export function toOrderRequest({ items, customer, payment_method, notes }: CreateOrderRequest): OrderRequest {
  const { name, email, phone, address, city, zip } = customer;
  return {
    items: items.map(({ product_id, variant_id, quantity }) => ({
      productId: product_id,
      variantId: variant_id ?? null,
      quantity,
    })),
    customer: { name, email: email ?? '', phone: phone ?? '' },
    address: { address: address ?? '', city: city ?? '', zip: zip ?? '' },
    paymentMethod: (payment_method?.toUpperCase() ?? 'COD') as PaymentMethod,
    notes: notes ?? '',
  };
}

const maybeText = (maxLength: number, description: string) => orNull({ type: 'string', maxLength, description });

export const CREATE_ORDER_REQUEST = {
  ...object<CreateOrderRequest>(
    {
      items: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_LINES,
        description: 'What is ordered. A product may be on several lines.',
        items: object<OrderItemRequest>(
          {
            product_id: {
              ...ID,
              description: 'An active product of the store. An integer, although `id` is a string.',
            },
            variant_id: {
              ...ID,
              description:
                'An active variant of the product. To be given for every product that has variants: without it, the ' +
                'product itself is ordered, at its own price and from its own stock, which is commonly none (422, ' +
                '`available 0`), although `quantity` of the product counts the stock of its variants too.',
            },
            quantity: { type: 'integer', minimum: 1, maximum: MAX_QUANTITY, description: 'Units.' },
          },
          { optional: ['variant_id'] },
        ),
      },
      customer: object<OrderCustomerRequest>(
        {
          name: { type: 'string', minLength: 1, maxLength: LONGEST.name, description: 'Display name. Not blank.' },
          email: maybeText(LONGEST.email, 'For receipts and lookups. One `@`, no white space; `""` is none.'),
          phone: maybeText(LONGEST.phone, 'As dialled.'),
          address: maybeText(LONGEST.address, 'Shipping address, also used as billing address.'),
          city: maybeText(LONGEST.city, 'Same.'),
          zip: maybeText(LONGEST.zip, 'Same.'),
        },
        { optional: ['email', 'phone', 'address', 'city', 'zip'] },
      ),
      payment_method: {
        ...orNull(
          oneOf([...PAYMENT_METHODS], 'In any letter case; null is COD. Cards go through the hosted checkout.'),
        ),
        enum: [...PAYMENT_METHODS, null],
        default: 'COD',
      },
      notes: maybeText(LONGEST.notes, 'Free text.'),
    },
    {
      optional: ['payment_method', 'notes'],
      description:
        'Anything else, prices and totals included, is ignored. A body has at most 256 kB, 8 levels and 10,000 values.',
    },
  ),
  examples: [
    {
      items: [{ product_id: 1, quantity: 2 }],
      customer: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: '+44 20 7946 0000',
        address: '12 St James Square',
        city: 'London',
        zip: 'SW1Y 4JH',
      },
      payment_method: 'COD',
      notes: 'Please ring twice',
    },
  ],
};
