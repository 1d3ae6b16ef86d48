// The reference's SQL, by hand on the same tables and indexes. `$1` is the id of the store, except in KEY.

export const KEY = `
  SELECT store.id AS store_id, store.currency, key.status, key.expires_at > now() IS NOT FALSE AS valid
  FROM api_keys key JOIN stores store ON store.id = key.store_id AND store.status = 'ACTIVE'
  WHERE key.key_hash = $1`;

const AVAILABLE = (condition: string) => `
  (SELECT coalesce(sum(stock.quantity), 0) FROM stock WHERE stock.store_id = $1 AND ${condition} AND stock.bin_id NOT IN (
    SELECT bins.id FROM warehouses
    JOIN bins ON bins.store_id = warehouses.store_id AND bins.warehouse_id = warehouses.id
    WHERE warehouses.store_id = $1 AND NOT warehouses.active)) AS quantity`;

export const PRODUCTS = `
  SELECT page.id, page.name, page.slug, page.price, page.status, ${AVAILABLE('stock.product_id = page.id')},
    (SELECT sum(rows) FROM list_counts WHERE store_id = $1 AND list = 'products' AND grain = 'all') AS total
  FROM (
    SELECT * FROM (
      SELECT id, name, slug, price, status, created_at FROM products
      WHERE store_id = $1 AND status = 'ACTIVE' ORDER BY created_at DESC, id DESC LIMIT 1100
    ) AS newest ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3
  ) AS page ORDER BY created_at DESC, id DESC`;

export const PRODUCT = `
  SELECT id, name, slug, sku, price, status, featured, description, images, specifications, created_at, updated_at,
    brand_id, ${AVAILABLE('stock.product_id = products.id')},
    (SELECT json_build_object('id', id, 'name', name, 'slug', slug) FROM brands
      WHERE brands.store_id = $1 AND brands.id = products.brand_id) AS brand,
    (SELECT coalesce(json_agg(json_build_object('id', category.id, 'name', category.name, 'slug', category.slug)
        ORDER BY category.display_order, category.name, category.id), '[]')
      FROM product_categories link JOIN categories category ON category.store_id = $1 AND category.id = link.category_id
      WHERE link.store_id = $1 AND link.product_id = products.id) AS categories,
    (SELECT coalesce(json_agg(variant ORDER BY position, id), '[]') FROM (
      SELECT id, sku, name, price, attributes, status, position,
        ${AVAILABLE('stock.product_id = product_variants.product_id AND stock.variant_key = product_variants.id')}
      FROM product_variants WHERE store_id = $1 AND product_id = products.id) AS variant) AS variants
  FROM products WHERE store_id = $1 AND id = $2 AND status = 'ACTIVE'`;

const SUMMARY = `id, receipt_number, status, fulfillment_status, payment_method, amount, total_amount, currency,
  customer_name, source, created_at`;

/** The number of a store's orders, from the same tally that the service reads. */
const TOTAL_ORDERS = `(SELECT sum(rows) FROM list_counts WHERE store_id = $1 AND list = 'orders' AND grain = 'all')`;

export const ORDERS = `
  SELECT ${SUMMARY}, ${TOTAL_ORDERS} AS total FROM (
    SELECT ${SUMMARY} FROM orders WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1100
  ) AS newest ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`;

export const SEARCH = `
  WITH matching AS MATERIALIZED (
    SELECT id, created_at FROM orders WHERE store_id = $1 AND (receipt_number ILIKE $2 OR customer_email ILIKE $2)
  )
  SELECT ${SUMMARY}, (SELECT count(*) FROM matching) AS total FROM orders
  WHERE store_id = $1 AND id IN (SELECT id FROM matching ORDER BY created_at DESC, id DESC LIMIT $3)
  ORDER BY created_at DESC, id DESC`;

export const ORDER = `
  SELECT ${SUMMARY}, customer_email, customer_phone, shipping_address, billing_address, notes, is_test, updated_at,
    (SELECT coalesce(json_agg(json_build_object('product_id', product_id, 'variant_id', variant_id, 'sku', sku, 'name', name,
        'attributes', attributes, 'unit_price', unit_price, 'quantity', quantity, 'line_total', line_total)
        ORDER BY position), '[]') FROM order_lines WHERE store_id = $1 AND order_id = orders.id) AS line_items,
    (SELECT json_build_object('verdict', verdict, 'score', score, 'reasons', reasons)
      FROM fraud_assessments WHERE store_id = $1 AND order_id = orders.id) AS fraud,
    (SELECT coalesce(json_agg(json_build_object('stage', stage, 'state', state, 'attempts', attempts,
        'last_error', last_error, 'at', updated_at) ORDER BY position, stage), '[]')
      FROM order_stages WHERE store_id = $1 AND order_id = orders.id) AS pipeline
  FROM orders WHERE store_id = $1 AND id = $2`;

export const STORE = `
  SELECT id, name, subdomain, custom_domain, currency, logo_url, primary_color, seo_title, theme, contact,
    payment_settings, ecommerce_settings,
    ARRAY(SELECT method_id FROM gateway_credentials WHERE store_id = $1) AS held
  FROM stores WHERE id = $1`;

export const PRICE = `
  SELECT product.id AS product_id, variant.id AS variant_id, product.name, coalesce(variant.price, product.price) AS price,
    coalesce(variant.sku, product.sku) AS sku, coalesce(variant.attributes, '{}') AS attributes
  FROM unnest($2::int[], $3::int[]) AS asked (product_id, variant_id)
  JOIN products product ON product.store_id = $1 AND product.id = asked.product_id AND product.status = 'ACTIVE'
  LEFT JOIN product_variants variant
    ON variant.store_id = $1 AND variant.product_id = asked.product_id AND variant.id = asked.variant_id`;

export const LOCK = `
  SELECT product_id, variant_key, bin_id, quantity FROM stock
  WHERE store_id = $1 AND (product_id, variant_key) IN (SELECT * FROM unnest($2::int[], $3::int[]))
  ORDER BY product_id, variant_key, bin_id FOR NO KEY UPDATE`;

export const TAKE = `
  UPDATE stock SET quantity = stock.quantity - taken.quantity
  FROM unnest($2::int[], $3::int[], $4::int[], $5::int[]) AS taken (product_id, variant_key, bin_id, quantity)
  WHERE stock.store_id = $1 AND stock.product_id = taken.product_id AND stock.variant_key = taken.variant_key
    AND stock.bin_id = taken.bin_id`;

export const INSERT_ORDER = `
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
    total_amount, customer_name, customer_email, customer_phone, shipping_address, billing_address, notes, created_at,
    updated_at)
  VALUES ($1, $2, $3, 'WEBSITE', 'PENDING', 'PENDING', 'COD', $4, $5, $5, $6, $7, $8, $9, $9, '', now(), now())`;

export const INSERT_LINES = `
  INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes, unit_price, quantity,
    line_total)
  SELECT $1, $2, position - 1, product_id, variant_id, sku, name, attributes, price, quantity, price * quantity
  FROM unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::jsonb[], $8::bigint[], $9::int[]) WITH ORDINALITY
    AS line (product_id, variant_id, sku, name, attributes, price, quantity, position)`;
