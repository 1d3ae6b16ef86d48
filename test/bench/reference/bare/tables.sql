-- The tables of the bare reference: what the answers need, and nothing else. No CHECK, no trigger, no ledger, no counts.
-- Keys and indexes follow in keys.sql, after the rows.

CREATE SCHEMA bare;

CREATE TABLE bare.stores (
  id int NOT NULL,
  subdomain text NOT NULL,
  name text NOT NULL,
  custom_domain text NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  logo_url text NOT NULL,
  primary_color text NOT NULL,
  seo_title text NOT NULL,
  contact jsonb NOT NULL,
  theme jsonb NOT NULL,
  payment_settings jsonb NOT NULL,
  ecommerce_settings jsonb NOT NULL
);

CREATE TABLE bare.gateway_credentials (
  store_id int NOT NULL,
  method_id text NOT NULL,
  credentials bytea NOT NULL
);

CREATE TABLE bare.api_keys (
  store_id int NOT NULL,
  id uuid NOT NULL,
  key_hash bytea NOT NULL,
  status text NOT NULL,
  expires_at timestamptz(3)
);

CREATE TABLE bare.warehouses (
  store_id int NOT NULL,
  id int NOT NULL,
  code text NOT NULL,
  name text NOT NULL,
  active boolean NOT NULL
);

CREATE TABLE bare.bins (
  store_id int NOT NULL,
  id int NOT NULL,
  warehouse_id int NOT NULL,
  code text NOT NULL
);

CREATE TABLE bare.brands (
  store_id int NOT NULL,
  id int NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  logo text NOT NULL,
  description text NOT NULL,
  active boolean NOT NULL
);

CREATE TABLE bare.categories (
  store_id int NOT NULL,
  id int NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  image text NOT NULL,
  description text NOT NULL,
  display_order int NOT NULL,
  parent_id int,
  active boolean NOT NULL
);

CREATE TABLE bare.products (
  store_id int NOT NULL,
  id int NOT NULL,
  slug text NOT NULL,
  sku text NOT NULL,
  name text NOT NULL,
  price bigint NOT NULL,
  status text NOT NULL,
  featured boolean NOT NULL,
  description text NOT NULL,
  brand_id int,
  images jsonb NOT NULL,
  specifications jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

CREATE TABLE bare.product_variants (
  store_id int NOT NULL,
  id int NOT NULL,
  product_id int NOT NULL,
  sku text NOT NULL,
  name text NOT NULL,
  price bigint NOT NULL,
  attributes jsonb NOT NULL,
  status text NOT NULL,
  position int NOT NULL
);

CREATE TABLE bare.product_categories (
  store_id int NOT NULL,
  product_id int NOT NULL,
  category_id int NOT NULL
);

CREATE TABLE bare.sellable_units (
  store_id int NOT NULL,
  product_id int NOT NULL,
  variant_key int NOT NULL,
  sku text NOT NULL
);

CREATE TABLE bare.customers (
  store_id int NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  phone text NOT NULL,
  status text NOT NULL,
  email_verified boolean NOT NULL,
  loyalty_points int NOT NULL,
  total_spent bigint NOT NULL,
  tags text[] NOT NULL,
  city text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_login timestamptz(3)
);

CREATE TABLE bare.orders (
  store_id int NOT NULL,
  id uuid NOT NULL,
  receipt_number text NOT NULL,
  source text NOT NULL,
  status text NOT NULL,
  fulfillment_status text NOT NULL,
  payment_method text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  total_amount bigint NOT NULL,
  customer_id uuid,
  customer_name text NOT NULL,
  customer_email text NOT NULL,
  customer_phone text NOT NULL,
  shipping_address jsonb NOT NULL,
  billing_address jsonb NOT NULL,
  notes text NOT NULL,
  external_reference text,
  is_test boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

CREATE TABLE bare.order_lines (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  position int NOT NULL,
  product_id int,
  variant_id int,
  sku text NOT NULL,
  name text NOT NULL,
  attributes jsonb NOT NULL,
  unit_price bigint NOT NULL,
  quantity int NOT NULL,
  line_total bigint NOT NULL
);

CREATE TABLE bare.fraud_assessments (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  verdict text NOT NULL,
  score int NOT NULL,
  reasons jsonb NOT NULL
);

CREATE TABLE bare.order_stages (
  store_id int NOT NULL,
  order_id uuid NOT NULL,
  stage text NOT NULL,
  state text NOT NULL,
  attempts int NOT NULL,
  last_error text NOT NULL,
  position int NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

-- Every order updates quantity: the free space keeps the new row version in its page, as in the service's table.
CREATE TABLE bare.stock (
  store_id int NOT NULL,
  bin_id int NOT NULL,
  product_id int NOT NULL,
  variant_key int NOT NULL,
  quantity int NOT NULL
) WITH (fillfactor = 80);
