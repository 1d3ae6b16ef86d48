import { TableWriter } from './table-writer.js';

export const STORES = new TableWriter<number>({
  table: 'stores',
  id: 'id',
  numbered: true,
  key: ['subdomain'],
  columns: {
    name: undefined,
    currency: undefined,
    custom_domain: '',
    status: 'ACTIVE',
    logo_url: '',
    primary_color: '',
    seo_title: '',
    contact: {},
    theme: {},
    payment_settings: {},
    ecommerce_settings: {},
    fraud_settings: {},
  },
  dated: true,
  global: true,
});

export const WAREHOUSES = new TableWriter<number>({
  table: 'warehouses',
  id: 'id',
  key: ['code'],
  columns: { name: undefined, active: true },
});

export const BINS = new TableWriter<number>({ table: 'bins', id: 'id', key: ['warehouse_id', 'code'], columns: {} });

export const BRANDS = new TableWriter<number>({
  table: 'brands',
  id: 'id',
  numbered: true,
  key: ['slug'],
  columns: { name: undefined, logo: '', description: '', active: true },
});

export const CATEGORIES = new TableWriter<number>({
  table: 'categories',
  id: 'id',
  numbered: true,
  key: ['slug'],
  columns: { name: undefined, image: '', description: '', display_order: 0, active: true },
});

export const PRODUCTS = new TableWriter<number>({
  table: 'products',
  id: 'id',
  numbered: true,
  key: ['slug'],
  columns: {
    sku: '',
    name: undefined,
    price: undefined,
    status: 'ACTIVE',
    featured: false,
    description: '',
    brand_id: undefined,
    images: [],
    specifications: [],
    created_at: undefined,
  },
  dated: true,
});

export const VARIANTS = new TableWriter<number>({
  table: 'product_variants',
  id: 'id',
  numbered: true,
  key: ['product_id', 'sku'],
  columns: {
    name: undefined,
    price: undefined,
    attributes: undefined,
    attribute_names: undefined,
    status: undefined,
    position: undefined,
  },
});

export const CUSTOMERS = new TableWriter<string>({
  table: 'customers',
  id: 'id',
  key: ['id'],
  columns: {
    name: undefined,
    email: '',
    phone: '',
    status: 'Active',
    email_verified: false,
    loyalty_points: 0,
    total_spent: 0,
    tags: [],
    city: '',
    created_at: undefined,
    last_login: undefined,
  },
  dated: true,
});

export const CUSTOMER_SECRETS = new TableWriter<string>({
  table: 'customer_secrets',
  id: 'customer_id',
  key: ['customer_id'],
  columns: { password_hash: undefined, verification_token: undefined, national_id: undefined },
});
