// The rows of a believable store, made by the server itself.

export interface Amounts {
  readonly store: number;
  readonly seed: number;
  /** ISO 8601: nothing is younger. */
  readonly until: string;
  readonly orders: number;
  readonly products: number;
  readonly customers: number;
}

const GIVEN = `(ARRAY['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Frances', 'Ken', 'Radia', 'Tony', 'Niklaus',
  'Mary', 'John', 'Lin', 'Omar', 'Wanjiru', 'Chidi', 'Priya', 'Mateo', 'Ingrid', 'Yuki', 'Fatima', 'Pavel', 'Zoe'])`;
const FAMILY = `(ARRAY['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Allen', 'Thompson', 'Perlman',
  'Hoare', 'Wirth', 'Shaw', 'Backus', 'Chen', 'Haddad', 'Mwangi', 'Okafor', 'Sharma', 'Garcia', 'Larsen', 'Tanaka', 'Novak',
  'Dubois', 'Silva', 'Rossi', 'Keller', 'Murphy', 'Nowak', 'Haas', 'Ibrahim', 'Kim'])`;
const DOMAIN = `(ARRAY['example.com', 'example.org', 'example.net', 'mail.example', 'post.example'])`;

/** SQL for what person number `n` is called, and for the e-mail. */
const nameOf = (n: string) => `${GIVEN}[1 + ${n} % 24] || ' ' || ${FAMILY}[1 + ${n} / 24 % 31]`;
const emailOf = (n: string) =>
  `lower(${GIVEN}[1 + ${n} % 24] || '.' || ${FAMILY}[1 + ${n} / 24 % 31]) || ${n} || '@' || ${DOMAIN}[1 + ${n} % 5]`;
const phoneOf = (n: string) => `'+1555' || lpad((${n})::text, 7, '0')`;

/** SQL for a UUID v7 of that moment; `text` tells it from others. */
const uuidAt = (moment: string, text: string) => `(lpad(to_hex((extract(epoch FROM ${moment}) * 1000)::bigint), 12, '0')
  || '7' || substr(md5(${text}), 1, 3) || '8' || substr(md5(${text}), 4, 15))::uuid`;

export function emptyStore({ store }: Amounts): string[] {
  return [
    `INSERT INTO stores (id, subdomain, name, custom_domain, currency, logo_url, primary_color, seo_title, contact, theme,
       payment_settings, ecommerce_settings, fraud_settings)
     VALUES (${store}, 'bench-${store}', 'Bench ${store}', 'shop.example', 'USD', 'https://cdn.example/logo.png', '#112233',
       'Everything', '{"email": "hello@example.com", "phone": "+1 555 0100"}',
       '{"name": "plain", "hero": {"layout": "split"}, "dark_mode": false}',
       '{"methods": [{"methodId": "cod", "enabled": true}, {"methodId": "offline", "enabled": true}]}',
       '{"template_id": "t1", "products_per_page": 24, "guest_checkout": true, "shipping": {"free_from": 7500}}',
       '{"review_amount": 10000000}')`,
    `INSERT INTO warehouses (store_id, id, code, name, active)
     SELECT ${store}, n, 'W' || n, 'Warehouse ' || n, n < 4 FROM generate_series(1, 4) AS n`,
    `INSERT INTO bins (store_id, id, warehouse_id, code)
     SELECT ${store}, n, 1 + n % 3, 'B-' || n FROM generate_series(1, 80) AS n`,
    `INSERT INTO brands (store_id, id, slug, name)
     SELECT ${store}, n, 'brand-' || n, 'Brand ' || n FROM generate_series(1, 50) AS n`,
    `INSERT INTO categories (store_id, id, slug, name, display_order)
     SELECT ${store}, n, 'category-' || n, 'Category ' || n, n FROM generate_series(1, 200) AS n`,
  ];
}

/**
 * One product in ten is not shown, one in ten is featured, one in seven has no stock; category 1 has a fifth of all. Stock
 * lies in three bins, of the product itself and of each of its two variants. One more product, the hot one, has five.
 */
export function catalog({ store, products, until }: Amounts): string[] {
  return [
    `INSERT INTO products (store_id, id, slug, sku, name, price, status, featured, description, brand_id, images,
       specifications, created_at, updated_at)
     SELECT ${store}, n, 'product-' || n, 'SKU-' || n,
       (ARRAY['Runner', 'Kettle', 'Lamp', 'Tent', 'Mug', 'Chair', 'Blanket', 'Knife'])[1 + n % 8] || ' ' ||
         (ARRAY['Classic', 'Light', 'Pro', 'Trail', 'Home'])[1 + n % 5] || ' ' || n,
       1000 + n * 37 % 9000, CASE WHEN n % 10 = 0 THEN 'DRAFT' ELSE 'ACTIVE' END, n % 10 = 1,
       repeat('Made to last, for road and trail. ', 8), 1 + n % 50,
       '[{"url": "https://cdn.example/1.jpg", "alt": "front"}, {"url": "https://cdn.example/2.jpg", "alt": "back"}]',
       '[{"name": "Weight", "value": "240 g"}, {"name": "Material", "value": "Steel"}]', at, at
     FROM generate_series(1, ${products + 1}) AS n,
       LATERAL (SELECT '${until}'::timestamptz - n * interval '730 days' / ${products} AS at) AS moment`,
    `INSERT INTO product_variants (store_id, id, product_id, sku, name, price, attributes, position)
     SELECT ${store}, 2 * n + side, n, 'SKU-' || n || '-' || side, 'Size ' || side, 1000 + n * 37 % 9000 + side * 100,
       jsonb_build_object('Size', side::text, 'Color', 'Blue'), side
     FROM generate_series(1, ${products}) AS n, generate_series(0, 1) AS side`,
    `INSERT INTO product_categories (store_id, product_id, category_id)
     SELECT ${store}, n, category FROM generate_series(1, ${products}) AS n, LATERAL (
       SELECT 2 + n * 7 % 199 AS category UNION SELECT 2 + n * 13 % 199 WHERE n % 3 = 0 UNION SELECT 1 WHERE n % 5 = 1
     ) AS chosen`,
    `INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
     SELECT ${store}, 1 + (n * 11 + turn * 27) % 80, n, variant, 100000
     FROM generate_series(1, ${products}) AS n, generate_series(0, 2) AS turn,
       LATERAL (VALUES (NULL::int), (2 * n), (2 * n + 1)) AS kinds (variant)
     WHERE n % 7 <> 0
     UNION ALL SELECT ${store}, turn, ${products + 1}, NULL, 1000000000 FROM generate_series(1, 5) AS turn`,
    `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
     SELECT store_id, bin_id, product_id, variant_key, 'OPENING', quantity FROM stock WHERE store_id = ${store}`,
  ];
}

export function customers({ store, customers, until, seed }: Amounts): string {
  return `
    INSERT INTO customers (store_id, id, name, email, phone, status, email_verified, loyalty_points, total_spent, tags,
      city, created_at)
    SELECT ${store}, ${uuidAt('at', `'customer/${store}/${seed}/' || n`)}, ${nameOf('n')}, ${emailOf('n')}, ${phoneOf('n')},
      (ARRAY['Active', 'Active', 'Active', 'Inactive', 'Blocked'])[1 + n % 5], n % 2 = 0, n % 500, n % 100000,
      CASE WHEN n % 4 = 0 THEN ARRAY['vip', 'b2b'] ELSE '{}' END,
      (ARRAY['Portland', 'Boston', 'Salem', 'Concord'])[1 + n % 4], at
    FROM generate_series(1, ${customers}) AS n,
      LATERAL (SELECT '${until}'::timestamptz - n * interval '730 days' / ${customers} AS at) AS moment`;
}

/** Orders `from` to `to` of the store, the oldest first, with one to five lines each, three on average. */
export function orders(amounts: Amounts & { readonly from: number; readonly to: number }): string[] {
  const { store, products, customers, until, seed, from, to } = amounts;
  // What the statements share, so that each finds the same orders.
  const numbered = `
    SELECT n, at, ${uuidAt('at', `'order/${store}/${seed}/' || n`)} AS id,
      abs(hashint4(n * 31 + ${seed})) AS dice, abs(hashint4(n + ${seed})) % ${customers} + 1 AS person,
      CASE WHEN n % 10 < 3 THEN 'WEBSITE' ELSE 'POS' END AS source
    FROM generate_series(${from}, ${to}) AS n, LATERAL (
      SELECT '${until}'::timestamptz - (${amounts.orders} - n) * interval '730 days' / ${amounts.orders}
        - interval '2 hours' AS at) AS moment`;
  return [
    `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
       amount, total_amount, customer_name, customer_email, customer_phone, shipping_address, billing_address, created_at,
       updated_at)
     SELECT ${store}, id, CASE source WHEN 'POS' THEN 'POS-' || lpad(n::text, 8, '0')
         ELSE 'WEB-' || to_char(at, 'YYMMDD') || '-' || upper(substr(md5(id::text), 1, 8)) END, source,
       (ARRAY['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'PENDING', 'FAILED', 'REFUNDED', 'CANCELLED'])[1 + dice % 8],
       (ARRAY['DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED', 'PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED',
         'CANCELLED', 'RETURNED'])[1 + dice / 8 % 10],
       'COD', 'USD', (1 + dice % 5) * 2 * 5000, (1 + dice % 5) * 2 * 5000, ${nameOf('person')}, ${emailOf('person')},
       ${phoneOf('person')}, jsonb_build_object('address', person || ' Harbor Street', 'city', 'Portland', 'zip', '04101'),
       '{}', at, at
     FROM (${numbered}) AS numbered`,
    `INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes, unit_price,
       quantity, line_total)
     SELECT ${store}, id, position, product, 2 * product, 'SKU-' || product || '-0', 'Product ' || product,
       '{"Size": "0", "Color": "Blue"}', 5000, 2, 10000
     FROM (${numbered}) AS numbered, generate_series(0, dice % 5) AS position,
       LATERAL (SELECT 1 + (dice + position * 7919) % ${products} AS product) AS sold`,
    `INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons, created_at)
     SELECT ${store}, id, 'ACCEPT', 0, '[]', at FROM (${numbered}) AS numbered WHERE source = 'WEBSITE'`,
    `INSERT INTO order_stages (store_id, order_id, stage, state, attempts, position, updated_at)
     SELECT ${store}, id, stage, 'done', 1, position, at
     FROM (${numbered}) AS numbered,
       unnest(ARRAY['fraud-analysis', 'inventory', 'notify-customer', 'notify-merchant']) WITH ORDINALITY
         AS stages (stage, position)
     WHERE source = 'WEBSITE'`,
  ];
}

/** Ids were given, so what gives them out has to be told; and the statistics are those of a store that has run for long. */
export function finish(): string[] {
  const given = ['stores', 'warehouses', 'bins', 'brands', 'categories', 'products', 'product_variants'];
  return [
    ...given.map((table) => `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`),
    'VACUUM ANALYZE',
    'CHECKPOINT',
  ];
}
