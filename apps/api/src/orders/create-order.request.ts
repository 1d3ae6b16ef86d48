import { MAX_ID, type OrderRequest } from '@app/application';
import { MAX_LINES, MAX_QUANTITY, PAYMENT_METHODS, type PaymentMethod } from '@app/domain';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, IsOptional, ValidateIf, ValidateNested } from 'class-validator';
import { IsEmailAddress, IsIntegerFrom, IsOneOf, IsPresent, IsText } from './body-constraints.js';

const ITEMS_SIZE = { message: `must have 1 to ${MAX_LINES} entries` };

export class OrderItemRequest {
  @IsIntegerFrom(1, MAX_ID)
  product_id: number;

  @ValidateIf((item: OrderItemRequest) => item.variant_id !== undefined)
  @IsIntegerFrom(1, MAX_ID)
  variant_id?: number;

  @IsIntegerFrom(1, MAX_QUANTITY)
  quantity: number;
}

export class OrderCustomerRequest {
  // The lowest decorator is checked first, and the first fault of a field is the one that is told.
  @IsText(200)
  @IsPresent()
  name: string;

  @IsOptional()
  @IsEmailAddress(254)
  email?: string | null;

  @IsOptional()
  @IsText(40)
  phone?: string | null;

  @IsOptional()
  @IsText(500)
  address?: string | null;

  @IsOptional()
  @IsText(200)
  city?: string | null;

  @IsOptional()
  @IsText(32)
  zip?: string | null;
}

/** The body of `POST /v1/orders`. Whatever else a client sends, prices and totals included, is ignored. */
export class CreateOrderRequest {
  @ValidateNested()
  @IsObject({ each: true, message: 'must be objects' })
  @ArrayMaxSize(MAX_LINES, ITEMS_SIZE)
  @ArrayMinSize(1, ITEMS_SIZE)
  @IsArray({ message: 'must be an array' })
  @Type(() => OrderItemRequest)
  items: OrderItemRequest[];

  @ValidateNested()
  @IsObject({ message: 'must be an object' })
  @Type(() => OrderCustomerRequest)
  customer: OrderCustomerRequest;

  @IsOptional()
  @IsOneOf(
    PAYMENT_METHODS,
    'must be COD or OFFLINE; card and gateway payments go through the hosted storefront checkout',
  )
  payment_method?: string | null;

  @IsOptional()
  @IsText(2000)
  notes?: string | null;
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
