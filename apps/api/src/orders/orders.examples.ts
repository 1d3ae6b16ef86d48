import type { CreateOrderRequest } from './create-order.request.js';
import type { CreatedOrderResponse } from './created-order.response.js';
import type { OrderPreviewResponse } from './order-preview.response.js';
import type { OrderListItem, OrderResponse } from './order.response.js';

const PLACED_AT = '2026-11-20T09:30:00.000Z';
const ADDRESS = { address: '12 Harbor Street', city: 'Portland', zip: '04101' };

export const ORDER_LIST_ITEM_EXAMPLE: OrderListItem = {
  id: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f',
  receipt_number: 'WEB-261120-7K3M9Q',
  status: 'PENDING',
  fulfillment_status: 'PENDING',
  payment_method: 'COD',
  amount: 15980,
  total_amount: 15980,
  currency: 'USD',
  customer_name: 'Ada Lovelace',
  source: 'WEBSITE',
  created_at: PLACED_AT,
};

export const ORDER_EXAMPLE: OrderResponse = {
  ...ORDER_LIST_ITEM_EXAMPLE,
  line_items: [
    {
      product_id: 70,
      variant_id: 12,
      sku: 'R-1-42',
      name: 'Runner',
      attributes: { Size: '42', Color: 'Blue' },
      unit_price: 7990,
      quantity: 2,
      line_total: 15980,
    },
  ],
  customer: {
    id: '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    phone: '+1 555 0100',
  },
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
  notes: 'Ring twice',
  external_reference: 'PO-2026-117',
  is_test: false,
  fraud: { verdict: 'ACCEPT', score: 0, reasons: [] },
  pipeline: [
    { stage: 'fraud-analysis', state: 'done', attempts: 1, last_error: '', at: PLACED_AT },
    { stage: 'inventory', state: 'done', attempts: 1, last_error: '', at: PLACED_AT },
    { stage: 'notify-customer', state: 'done', attempts: 1, last_error: '', at: '2026-11-20T09:30:01.120Z' },
    { stage: 'notify-merchant', state: 'pending', attempts: 0, last_error: '', at: PLACED_AT },
  ],
  updated_at: PLACED_AT,
};

export const CREATE_ORDER_EXAMPLE: CreateOrderRequest = {
  items: [{ product_id: 70, quantity: 1 }],
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
};

export const CREATED_ORDER_EXAMPLE: CreatedOrderResponse = {
  order_id: ORDER_EXAMPLE.id,
  receipt_number: ORDER_EXAMPLE.receipt_number,
  subtotal: 159.8,
  total: 159.8,
  payment_method: 'COD',
  items: [{ productId: '70', name: 'Runner', quantity: 2, price: 79.9 }],
};

export const ORDER_PREVIEW_EXAMPLE: OrderPreviewResponse = {
  subtotal: 159.8,
  total: 159.8,
  payment_method: 'COD',
  items: CREATED_ORDER_EXAMPLE.items,
  problems: [{ code: 'out_of_stock', path: 'items[0]', requested: 2, available: 1 }],
};
