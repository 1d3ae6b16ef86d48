-- Primary and foreign keys.
ALTER TABLE bare.stores ADD PRIMARY KEY (id);
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

-- One index per list.
CREATE UNIQUE INDEX sellable_units_by_sku ON bare.sellable_units (store_id, sku COLLATE "C", product_id, variant_key);
CREATE INDEX products_newest ON bare.products (store_id, created_at DESC, id DESC) WHERE status = 'ACTIVE';
CREATE INDEX orders_newest ON bare.orders (store_id, created_at DESC, id DESC);

-- One index per look-up: a key, the order of a receipt number, the orders of an e-mail, the variants of a product, the
-- bins of a warehouse.
CREATE UNIQUE INDEX api_keys_by_hash ON bare.api_keys (key_hash);
CREATE UNIQUE INDEX orders_by_receipt ON bare.orders (store_id, upper(receipt_number));
CREATE INDEX orders_by_email ON bare.orders (store_id, lower(customer_email));
CREATE INDEX product_variants_by_product ON bare.product_variants (store_id, product_id);
CREATE INDEX bins_by_warehouse ON bare.bins (store_id, warehouse_id);
