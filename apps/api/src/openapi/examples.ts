import type { BrandResponse } from '../brands/brand.response.js';
import type { CategoryResponse } from '../categories/category.response.js';
import type { CustomerResponse } from '../customers/customer.response.js';
import type { CreatedOrderResponse } from '../orders/created-order.response.js';
import type { OrderListItem, OrderResponse } from '../orders/order.response.js';
import type { ProductListItem, ProductResponse } from '../products/product.response.js';
import type { StoreResponse } from '../store/store.response.js';

const PLACED_AT = '2026-11-20T09:30:00.000Z';
const ADDRESS = { address: '12 Harbor Street', city: 'Portland', zip: '04101' };

const ORDER_LIST_ITEM: OrderListItem = {
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

const ORDER: OrderResponse = {
  ...ORDER_LIST_ITEM,
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
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+1 555 0100' },
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
  notes: 'Ring twice',
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

const PRODUCT_LIST_ITEM: ProductListItem = {
  id: '70',
  name: 'Runner',
  slug: 'runner',
  price: 79.9,
  quantity: 12,
  status: 'ACTIVE',
};

const PRODUCT: ProductResponse = {
  ...PRODUCT_LIST_ITEM,
  sku: 'R-1',
  description: 'For road and trail',
  featured: true,
  images: [{ url: 'https://cdn.example/runner.jpg', alt: 'A blue shoe' }],
  variants: [
    {
      id: '12',
      sku: 'R-1-42',
      name: '42 / Blue',
      price: 79.9,
      attributes: { Size: '42', Color: 'Blue' },
      quantity: 7,
      status: 'ACTIVE',
    },
  ],
  specifications: [{ name: 'Weight', value: '240 g' }],
  categories: [{ id: 7, name: 'Shoes', slug: 'shoes' }],
  brand: { id: 3, name: 'Globex', slug: 'globex' },
  created_at: '2026-01-12T08:00:00.000Z',
  updated_at: '2026-10-03T14:21:09.512Z',
};

const CREATED_ORDER: CreatedOrderResponse = {
  order_id: ORDER.id,
  receipt_number: ORDER.receipt_number,
  subtotal: 159.8,
  total: 159.8,
  payment_method: 'COD',
  items: [{ productId: '70', name: 'Runner', quantity: 2, price: 79.9 }],
};

const CUSTOMER: CustomerResponse = {
  id: '0198e7d4-5c21-7a10-8f3b-6d9e2c4b7a15',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+1 555 0100',
  status: 'Active',
  email_verified: true,
  loyalty_points: 10,
  total_spent: 15980,
  tags: ['vip'],
  city: 'Portland',
  created_at: '2026-03-02T10:15:00.000Z',
  last_login: null,
};

const CATEGORY: CategoryResponse = {
  id: 7,
  name: 'Shoes',
  slug: 'shoes',
  image: 'https://cdn.example/shoes.png',
  description: 'For road and trail',
  order: 1,
  parent_id: null,
};

const BRAND: BrandResponse = {
  id: 3,
  name: 'Globex',
  slug: 'globex',
  logo: 'https://cdn.example/globex.png',
  description: 'Shoes since 1907',
};

const STORE: StoreResponse = {
  id: 1,
  name: 'Acme',
  subdomain: 'acme',
  customDomain: 'shop.acme.example',
  currency: 'USD',
  logo_url: 'https://cdn.example/acme.png',
  primary_color: '#112233',
  seo_title: 'Acme: everything',
  theme: { font: 'Inter' },
  contact: { email: 'hello@acme.example' },
  payment_settings: {
    methods: [
      { methodId: 'cod', enabled: true, isSandbox: undefined, hasCredentials: false },
      { methodId: 'stripe', enabled: true, isSandbox: true, hasCredentials: true },
    ],
  },
  ecommerce_settings: { template_id: 'classic' },
};

/** One of each resource, from a store with one order: the same shoe and buyer all through the document. */
export const EXAMPLES = {
  OrderListItem: ORDER_LIST_ITEM,
  Order: ORDER,
  CreatedOrder: CREATED_ORDER,
  ProductListItem: PRODUCT_LIST_ITEM,
  Product: PRODUCT,
  Customer: CUSTOMER,
  Category: CATEGORY,
  Brand: BRAND,
  Store: STORE,
};
