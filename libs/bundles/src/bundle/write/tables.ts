import { STORE_DEFAULTS } from '../schema/store-line.js';
import { TableWriter, type Row } from './table-writer.js';

const all = (value: unknown, ...names: string[]): Row => Object.fromEntries(names.map((name) => [name, value]));
const withoutDefault = (...names: string[]): Row => all(undefined, ...names);

export const STORES = new TableWriter<number>({
  table: 'stores',
  numbered: true,
  global: true,
  key: ['subdomain'],
  columns: {
    ...withoutDefault('name', 'currency'),
    ...STORE_DEFAULTS,
    status: 'ACTIVE',
  },
});

export const WAREHOUSES = new TableWriter<number>({
  table: 'warehouses',
  numbered: true,
  key: ['code'],
  required: ['warehouse.name'],
  columns: { name: undefined, active: true },
});

export const BINS = new TableWriter<number>({
  table: 'bins',
  numbered: true,
  key: ['warehouse_id', 'code'],
  columns: {},
});

export const BRANDS = new TableWriter<number>({
  table: 'brands',
  numbered: true,
  key: ['slug'],
  anyCase: true,
  required: ['brand.name'],
  columns: { name: undefined, logo: '', description: '', active: true },
});

export const CATEGORIES = new TableWriter<number>({
  table: 'categories',
  numbered: true,
  key: ['slug'],
  anyCase: true,
  columns: { name: undefined, image: '', description: '', display_order: 0, active: true },
});

export const PRODUCTS = new TableWriter<number>({
  table: 'products',
  numbered: true,
  key: ['slug'],
  anyCase: true,
  required: ['product.name', 'product.price'],
  columns: {
    ...withoutDefault('name', 'price', 'brand_id', 'created_at'),
    ...all('', 'sku', 'description'),
    ...all([], 'images', 'specifications'),
    low_stock: null,
    status: 'ACTIVE',
    featured: false,
    metadata: {},
  },
});

export const VARIANTS = new TableWriter<number>({
  table: 'product_variants',
  numbered: true,
  key: ['product_id', 'sku'],
  columns: {
    ...withoutDefault('name', 'price', 'attributes', 'attribute_names', 'position'),
    low_stock: null,
    status: 'ACTIVE',
    metadata: {},
  },
});

export const PRICE_LISTS = new TableWriter<string>({
  table: 'price_lists',
  id: 'code',
  key: ['code'],
  required: ['price_list.name'],
  columns: {
    ...withoutDefault('name'),
    ...all(null, 'valid_from', 'valid_to'),
    priority: 0,
    customer_groups: [],
  },
});

export const CUSTOMERS = new TableWriter<string>({
  table: 'customers',
  key: ['id'],
  required: ['customer.name'],
  columns: {
    ...withoutDefault('name', 'created_at', 'last_login'),
    ...all('', 'email', 'phone', 'city', 'company', 'vat_id'),
    ...all(0, 'loyalty_points', 'total_spent'),
    status: 'Active',
    email_verified: false,
    ...all(null, 'payment_terms_days', 'price_list'),
    ...all([], 'tags', 'groups', 'addresses', 'contacts'),
    metadata: {},
  },
});

export const CUSTOMER_SECRETS = new TableWriter<string>({
  table: 'customer_secrets',
  id: 'customer_id',
  key: ['customer_id'],
  columns: withoutDefault('password_hash', 'verification_token', 'national_id'),
});
