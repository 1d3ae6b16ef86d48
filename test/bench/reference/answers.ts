// The JSON that the service answers, written by hand from rows.

export interface Row {
  readonly id: string;
  readonly total?: string;
  readonly [column: string]: unknown;
}

export interface ProductRow extends Row {
  readonly price: string;
  readonly quantity: string;
  readonly variants: readonly (Row & { readonly price: number })[];
}

export interface StoreRow extends Row {
  readonly held: readonly string[];
  readonly payment_settings: {
    readonly methods: readonly { readonly methodId: string; readonly enabled: boolean; readonly isSandbox?: boolean }[];
  };
}

export interface OrderRow extends Row {
  readonly shipping_address: Partial<Record<string, string>>;
  readonly billing_address: Partial<Record<string, string>>;
  readonly pipeline: readonly { readonly at: string }[];
}

const MAJOR = 100;

const page = (rows: readonly Row[], data: unknown[], limit: number, number: number) => ({
  success: true,
  data,
  pagination: { total: Number(rows[0]?.total ?? 0), page: number, limit },
});

const productItem = (row: Row) => ({
  id: String(row['id']),
  name: row['name'],
  slug: row['slug'],
  price: Number(row['price']) / MAJOR,
  quantity: Number(row['quantity']),
  status: row['status'],
});

export const products = (rows: Row[], limit: number, number: number) =>
  page(rows, rows.map(productItem), limit, number);

export const product = (row: ProductRow) => ({
  ...productItem(row),
  sku: row['sku'],
  description: row['description'],
  featured: row['featured'],
  images: row['images'],
  variants: row.variants.map((variant) => ({
    id: String(variant['id']),
    sku: variant['sku'],
    name: variant['name'],
    price: variant.price / MAJOR,
    attributes: variant['attributes'],
    quantity: variant['quantity'],
    status: variant['status'],
  })),
  specifications: row['specifications'],
  categories: row['categories'],
  brand: row['brand'],
  created_at: row['created_at'],
  updated_at: row['updated_at'],
});

const orderItem = (row: Row) => ({
  id: row['id'],
  receipt_number: row['receipt_number'],
  status: row['status'],
  fulfillment_status: row['fulfillment_status'],
  payment_method: row['payment_method'],
  amount: Number(row['amount']),
  total_amount: Number(row['total_amount']),
  currency: row['currency'],
  customer_name: row['customer_name'],
  source: row['source'],
  created_at: row['created_at'],
});

export const orders = (rows: Row[], limit: number, number: number) => page(rows, rows.map(orderItem), limit, number);

const address = (json: Partial<Record<string, string>>) => ({
  address: json['address'] ?? '',
  city: json['city'] ?? '',
  zip: json['zip'] ?? '',
});

export const order = (row: OrderRow) => ({
  ...orderItem(row),
  line_items: row['line_items'],
  customer: { name: row['customer_name'], email: row['customer_email'], phone: row['customer_phone'] },
  shipping_address: address(row.shipping_address),
  billing_address: address(row.billing_address),
  notes: row['notes'],
  is_test: row['is_test'],
  fraud: row['fraud'] ?? { verdict: '', score: 0, reasons: [] },
  pipeline: row.pipeline.map((stage) => ({ ...stage, at: new Date(stage.at) })),
  updated_at: row['updated_at'],
});

export const store = (row: StoreRow) => ({
  id: row['id'],
  name: row['name'],
  subdomain: row['subdomain'],
  customDomain: row['custom_domain'],
  currency: row['currency'],
  logo_url: row['logo_url'],
  primary_color: row['primary_color'],
  seo_title: row['seo_title'],
  theme: row['theme'],
  contact: row['contact'],
  payment_settings: {
    methods: row.payment_settings.methods.map(({ methodId, enabled, isSandbox }) => ({
      methodId,
      enabled,
      isSandbox,
      hasCredentials: row.held.includes(methodId),
    })),
  },
  ecommerce_settings: row['ecommerce_settings'],
});
