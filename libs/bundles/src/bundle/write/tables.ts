import { TableWriter } from './table-writer.js';

export const STORES = new TableWriter<number>({
  table: 'stores',
  id: 'id',
  numbered: true,
  key: ['subdomain'],
  columns: [
    'name',
    'custom_domain',
    'currency',
    'status',
    'logo_url',
    'primary_color',
    'seo_title',
    'contact',
    'theme',
    'payment_settings',
    'ecommerce_settings',
    'fraud_settings',
  ],
  defaults: {
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
  columns: ['name', 'active'],
  defaults: { active: true },
});

export const BINS = new TableWriter<number>({
  table: 'bins',
  id: 'id',
  key: ['warehouse_id', 'code'],
  columns: [],
  defaults: {},
});

export const BRANDS = new TableWriter<number>({
  table: 'brands',
  id: 'id',
  numbered: true,
  key: ['slug'],
  columns: ['name', 'logo', 'description', 'active'],
  defaults: { logo: '', description: '', active: true },
});

/** A second statement sets the parents: they may be rows of the same insert. */
export const CATEGORIES = new TableWriter<number>({
  table: 'categories',
  id: 'id',
  numbered: true,
  key: ['slug'],
  columns: ['name', 'image', 'description', 'display_order', 'active'],
  defaults: { image: '', description: '', display_order: 0, active: true },
});

export const PRODUCTS = new TableWriter<number>({
  table: 'products',
  id: 'id',
  numbered: true,
  key: ['slug'],
  columns: [
    'sku',
    'name',
    'price',
    'status',
    'featured',
    'description',
    'brand_id',
    'images',
    'specifications',
    'created_at',
  ],
  defaults: { sku: '', status: 'ACTIVE', featured: false, description: '', images: [], specifications: [] },
  dated: true,
});

export const VARIANTS = new TableWriter<number>({
  table: 'product_variants',
  id: 'id',
  numbered: true,
  key: ['product_id', 'sku'],
  columns: ['name', 'price', 'attributes', 'attribute_names', 'status', 'position'],
  defaults: {},
});

export const CUSTOMERS = new TableWriter<string>({
  table: 'customers',
  id: 'id',
  key: ['id'],
  columns: [
    'name',
    'email',
    'phone',
    'status',
    'email_verified',
    'loyalty_points',
    'total_spent',
    'tags',
    'city',
    'created_at',
    'last_login',
  ],
  defaults: {
    email: '',
    phone: '',
    status: 'Active',
    email_verified: false,
    loyalty_points: 0,
    total_spent: 0,
    tags: [],
    city: '',
  },
  dated: true,
});

export const CUSTOMER_SECRETS = new TableWriter<string>({
  table: 'customer_secrets',
  id: 'customer_id',
  key: ['customer_id'],
  columns: ['password_hash', 'verification_token', 'national_id'],
  defaults: {},
});
