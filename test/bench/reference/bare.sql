-- These are the tables of the reference, with the current rows of the service's tables: what the answers need, and
-- nothing else. They have no check, no trigger, no ledger and no counts.
CREATE SCHEMA bare;

CREATE TABLE bare.stores AS
  SELECT id, name, subdomain, custom_domain, currency, time_zone, status, logo_url, primary_color, seo_title, contact, theme,
    payment_settings, ecommerce_settings
  FROM stores;
CREATE TABLE bare.gateway_credentials AS SELECT store_id, method_id FROM gateway_credentials;
CREATE TABLE bare.api_keys AS SELECT store_id, id, key_hash, status, expires_at FROM api_keys;
CREATE TABLE bare.warehouses AS SELECT store_id, id, code, active FROM warehouses;
CREATE TABLE bare.bins AS SELECT store_id, id, code, warehouse_id FROM bins;
CREATE TABLE bare.brands AS SELECT store_id, id, slug, name FROM brands;
CREATE TABLE bare.categories AS SELECT store_id, id, slug, name, display_order, parent_id FROM categories;
CREATE TABLE bare.products AS
  SELECT store_id, id, slug, sku, name, price, status, featured, description, brand_id, images, specifications,
    created_at, created_at AS updated_at
  FROM products;
CREATE TABLE bare.product_variants AS
  SELECT store_id, id, product_id, sku, name, price, attributes, status, position FROM product_variants;
CREATE TABLE bare.product_categories AS SELECT store_id, product_id, category_id FROM product_categories;
CREATE TABLE bare.sellable_units AS SELECT store_id, product_id, variant_key, sku FROM sellable_units;
CREATE TABLE bare.customers AS SELECT store_id, id FROM customers;
CREATE TABLE bare.orders AS
  SELECT store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
    total_amount, customer_id, customer_name, customer_email, customer_phone, shipping_address, billing_address, notes,
    external_reference, is_test, tax_amount, shipping_amount, discount_amount, created_at, created_at AS updated_at
  FROM orders;
ALTER TABLE bare.orders ALTER is_test SET DEFAULT false, ALTER tax_amount SET DEFAULT 0,
  ALTER shipping_amount SET DEFAULT 0, ALTER discount_amount SET DEFAULT 0;
CREATE TABLE bare.order_lines AS
  SELECT store_id, order_id, position, product_id, variant_id, sku, name, attributes, unit_price, quantity, line_total
  FROM order_lines;
CREATE TABLE bare.fraud_assessments AS SELECT store_id, order_id, verdict, score, reasons FROM fraud_assessments;
CREATE TABLE bare.order_stages AS
  SELECT store_id, order_id, stage, state, attempts, last_error, updated_at FROM order_stages;
CREATE TABLE bare.shipments AS
  SELECT store_id, order_id, reference, status, carrier, tracking_number, tracking_url, shipped_at, delivered_at FROM shipments;
CREATE TABLE bare.shipment_items AS SELECT store_id, order_id, reference, position, quantity FROM shipment_items;
CREATE TABLE bare.payments AS SELECT store_id, order_id, reference, amount, at FROM payments;
CREATE TABLE bare.refunds AS SELECT store_id, order_id, reference, amount, at FROM refunds;
-- Every order updates quantity: the free space keeps the new row version in its page, like in the service's table.
CREATE TABLE bare.stock WITH (fillfactor = 80) AS
  SELECT store_id, bin_id, product_id, variant_key, quantity FROM stock;

-- The keys are primary and foreign keys only.
ALTER TABLE bare.stores ADD PRIMARY KEY (id);
ALTER TABLE bare.shipments ADD PRIMARY KEY (store_id, order_id, reference);
ALTER TABLE bare.shipment_items ADD PRIMARY KEY (store_id, order_id, reference, position),
  ADD FOREIGN KEY (store_id, order_id, reference) REFERENCES bare.shipments;
ALTER TABLE bare.payments ADD PRIMARY KEY (store_id, order_id, reference);
ALTER TABLE bare.refunds ADD PRIMARY KEY (store_id, order_id, reference);
ALTER TABLE bare.gateway_credentials ADD PRIMARY KEY (store_id, method_id), ADD FOREIGN KEY (store_id) REFERENCES bare.stores;
ALTER TABLE bare.api_keys ADD PRIMARY KEY (store_id, id), ADD FOREIGN KEY (store_id) REFERENCES bare.stores;
ALTER TABLE bare.warehouses ADD PRIMARY KEY (store_id, id), ADD FOREIGN KEY (store_id) REFERENCES bare.stores;
ALTER TABLE bare.bins ADD PRIMARY KEY (store_id, id), ADD FOREIGN KEY (store_id, warehouse_id) REFERENCES bare.warehouses;
ALTER TABLE bare.brands ADD PRIMARY KEY (store_id, id), ADD FOREIGN KEY (store_id) REFERENCES bare.stores;
ALTER TABLE bare.categories ADD PRIMARY KEY (store_id, id),
  ADD FOREIGN KEY (store_id) REFERENCES bare.stores, ADD FOREIGN KEY (store_id, parent_id) REFERENCES bare.categories;
ALTER TABLE bare.products ADD PRIMARY KEY (store_id, id),
  ADD FOREIGN KEY (store_id) REFERENCES bare.stores, ADD FOREIGN KEY (store_id, brand_id) REFERENCES bare.brands;
ALTER TABLE bare.product_variants ADD PRIMARY KEY (store_id, id),
  ADD FOREIGN KEY (store_id, product_id) REFERENCES bare.products;
ALTER TABLE bare.product_categories ADD PRIMARY KEY (store_id, product_id, category_id),
  ADD FOREIGN KEY (store_id, product_id) REFERENCES bare.products,
  ADD FOREIGN KEY (store_id, category_id) REFERENCES bare.categories;
ALTER TABLE bare.sellable_units ADD PRIMARY KEY (store_id, product_id, variant_key),
  ADD FOREIGN KEY (store_id, product_id) REFERENCES bare.products;
ALTER TABLE bare.customers ADD PRIMARY KEY (store_id, id), ADD FOREIGN KEY (store_id) REFERENCES bare.stores;
ALTER TABLE bare.orders ADD PRIMARY KEY (store_id, id), ADD FOREIGN KEY (store_id) REFERENCES bare.stores,
  ADD FOREIGN KEY (store_id, customer_id) REFERENCES bare.customers;
ALTER TABLE bare.order_lines ADD PRIMARY KEY (store_id, order_id, position),
  ADD FOREIGN KEY (store_id, order_id) REFERENCES bare.orders;
ALTER TABLE bare.fraud_assessments ADD PRIMARY KEY (store_id, order_id),
  ADD FOREIGN KEY (store_id, order_id) REFERENCES bare.orders;
ALTER TABLE bare.order_stages ADD PRIMARY KEY (store_id, order_id, stage),
  ADD FOREIGN KEY (store_id, order_id) REFERENCES bare.orders;
ALTER TABLE bare.stock ADD PRIMARY KEY (store_id, product_id, variant_key, bin_id),
  ADD FOREIGN KEY (store_id, bin_id) REFERENCES bare.bins, ADD FOREIGN KEY (store_id, product_id) REFERENCES bare.products;

-- Each list has one index.
CREATE UNIQUE INDEX sellable_units_by_sku ON bare.sellable_units (store_id, sku COLLATE "C", product_id, variant_key);
CREATE INDEX products_newest ON bare.products (store_id, created_at DESC, id DESC) WHERE status = 'ACTIVE';
CREATE INDEX orders_newest ON bare.orders (store_id, created_at DESC, id DESC);

-- Each look-up has one index: a key, the order of a receipt number, the orders of an e-mail, the variants of a product,
-- the bins of a warehouse.
CREATE UNIQUE INDEX api_keys_by_hash ON bare.api_keys (key_hash);
CREATE UNIQUE INDEX orders_by_receipt ON bare.orders (store_id, upper(receipt_number));
CREATE INDEX orders_by_email ON bare.orders (store_id, lower(customer_email));
CREATE INDEX product_variants_by_product ON bare.product_variants (store_id, product_id);
CREATE INDEX bins_by_warehouse ON bare.bins (store_id, warehouse_id);
