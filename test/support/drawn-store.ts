import type { BundleLine } from '@app/bundles';

/** Fields are absent, null, empty or filled, and lists have other members in another order than the version before. */
export function aDrawnStore(store: string, draw: (below: number) => number): BundleLine[] {
  const one = <T>(...values: readonly T[]): T => values[draw(values.length)] as T;
  const some = <T>(values: readonly T[]): T[] =>
    values
      .filter(() => draw(3) > 0)
      .map((value) => ({ value, place: draw(1_000) }))
      .sort((a, b) => a.place - b.place)
      .map(({ value }) => value);
  const fields = (values: Readonly<Record<string, readonly unknown[]>>) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, options]) => (draw(4) === 0 ? [] : [[name, one(...options)]])),
    );
  // The text breaks quoting, lines and sorting.
  const hostile = `"quoted" \\ \\n \\u0000 {"a":[1,} line\nbreak\ttab \u2028 \u001b[31m 👨‍👩‍👧 e\u0301 İ ı \u202e =cmd|x`;
  const text = ['', null, 'text', ' blanks ', hostile];
  const flag = [true, false];
  const metadata = [{}, { erp_id: '4711', [hostile.slice(0, 40)]: hostile }, { ' ': 'x' }];
  const slugs = ['a', 'b', 'c'];
  const at = '2026-01-02T03:04:05.678Z';
  const TAX = { name: 'VAT', rate: 7.7, amount: 1 };
  const lines = [
    {
      ...{ kind: 'store', subdomain: store, name: 'Store', currency: 'USD', status: one('ACTIVE', 'INACTIVE') },
      ...fields({ custom_domain: text, logo_url: text, primary_color: text.slice(0, 4), seo_title: text }),
      ...fields({ time_zone: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'] }),
      ...fields({
        contact: [{}, { phone: null, address: '' }, { email: 'shop@example.com', phone: ' 1 ' }],
        theme: [{}, { a: null, b: '', c: [null, ''] }],
        fraud_settings: [{}, { review_orders_per_email: null, blocked_emails: [''] }],
        charge_settings: [
          {},
          { rates: [{ country: 'DE', name: 'VAT', rate: 19 }], shipping: { amount: 490, free_from: null } },
        ],
      }),
    },
    { kind: 'warehouse', store, code: 'W', name: 'W', ...fields({ active: flag }) },
    { kind: 'warehouse', store, code: 'X', name: 'X', ...fields({ active: flag }) },
    ...['W', 'X'].map((warehouse) => ({ kind: 'bin', store, warehouse, code: 'B' })),
    ...slugs.flatMap((slug, n) => [
      { kind: 'brand', store, slug, name: slug, ...fields({ logo: text, description: text, active: flag }) },
      {
        ...{ kind: 'category', store, slug, name: slug, ...fields({ image: text, order: [0, 5], active: flag }) },
        ...(n > 0 && fields({ parent: [null, slugs[n - 1]] })),
      },
    ]),
    // The line after it may drop the variant, which orders and stock refer to.
    ...slugs.map((slug) => ({
      ...{ kind: 'product', store, slug, name: slug, price: '1' },
      variants: [{ sku: 'S-1', name: 'S-1', price: '1' }],
    })),
    ...slugs.map((slug) => ({
      ...{ kind: 'product', store, slug, name: slug, price: one('0', '1.05', '79.9000') },
      ...fields({ sku: text, status: ['ACTIVE', 'DRAFT', 'ARCHIVED'], featured: flag, description: text }),
      ...fields({ brand: [null, ...slugs], metadata, images: [[], [{ url: 'https://x', alt: null }, { url: 'y' }]] }),
      ...fields({ specifications: [[], [{ name: 'n', value: '' }]] }),
      ...(draw(4) > 0 && { categories: some(slugs) }),
      ...(draw(4) > 0 && {
        variants: some(['S-1', 'S-2', 'S-3', 'S-4']).map((sku) => ({
          ...{ sku, name: sku, ...fields({ price: ['0', '12'], status: ['ACTIVE', 'INACTIVE', 'DRAFT', 'ARCHIVED'] }) },
          ...fields({ metadata, attributes: [{}, { Size: null, 42: '', Color: 'Blue' }] }),
        })),
      }),
    })),
    {
      ...{ kind: 'price_list', store, code: 'VIP', name: one('VIP', hostile) },
      ...fields({ priority: [0, -5, 7], valid_from: [null, '2026-01-01'], valid_to: [null, '2026-12-31'] }),
      ...fields({ customer_groups: [[], ['vip', 'Été'], ['staff']] }),
    },
    ...slugs.map((product) => ({
      ...{ kind: 'list_price', store, list: 'VIP', product, variant: one(null, 'S-1') },
      price_breaks: some([1, 10, 100]).map((from) => ({ from_quantity: from, price: one('0', '1.05', '9.9000') })),
      ...fields({ min_quantity: [null, 1, 6], step: [null, 1, 6] }),
    })),
    ...slugs.map((product) => ({
      ...{ kind: 'quantity_rule', store, product, variant: one(null, 'S-1'), min_quantity: one(null, 2, 3) },
    })),
    ...slugs.map((slug) => ({
      ...{ kind: 'customer', store, name: one('', slug), email: `${slug}@example.com` },
      ...fields({
        phone: text.slice(0, 4),
        status: ['Active', 'On hold'],
        tags: [[], ['', 'vip']],
        city: text,
        metadata,
      }),
      ...fields({ last_login: [null, at], national_id: ['', 'x'], total_spent: [0, 7, -7] }),
    })),
    ...slugs.map((product) => ({
      ...{ kind: 'order', store, receipt_number: `POS-${product}`, source: 'POS', payment_method: 'CASH' },
      ...{
        status: 'PENDING',
        fulfillment_status: 'PENDING',
        currency: 'USD',
        amount: 3,
        total_amount: 3,
        created_at: at,
      },
      ...fields({ customer_email: text, customer_id: [null], notes: text, metadata, is_test: flag }),
      ...fields({ shipping_address: [{}, { zip: null }], billing_address: [{}, { name: 'x', country: 'XK' }] }),
      ...fields({ external_reference: ['', `PO ${product}`], tax_amount: [0, 1], discount_amount: [2] }),
      ...fields({ shipping_tax: [[], [TAX]], tax_included: flag }),
      ...fields({ fraud: [{ verdict: 'ACCEPT', score: 0, reasons: [{ rule: 'x', score: 0 }] }] }),
      ...fields({
        pipeline: [
          [],
          [{ stage: 'notify-merchant', state: 'pending', attempts: 1, at }],
          [{ stage: 'notify-customer', state: 'done', attempts: 2, last_error: '', at }],
        ],
        shipments: [
          [{ reference: 'S', status: 'picking', items: [{ line: 1, quantity: 1 }], notify: false }],
          [{ reference: 'S', status: 'shipped', items: [{ line: 1, quantity: 2 }], carrier: hostile, shipped_at: at }],
        ],
        payments: [[{ reference: 'P', amount: 1, written_off: 1, at }]],
        refunds: [[{ reference: 'R', amount: 1, at }]],
        history: [
          [],
          [{ at, actor: { type: 'operator' }, event: 'noted', details: { reason: hostile } }],
          [{ at, actor: { type: 'system' }, event: 'refund_recorded', reference: 'R' }],
        ],
      }),
      line_items: [
        {
          ...{ product, name: 'Line', unit_price: 1, quantity: 3 },
          ...fields({ variant: ['S-1'], sku: text, attributes: [{}, { b: '', 1: 'x' }], metadata }),
          ...fields({ cancelled_quantity: [1], returned_quantity: [1], tax: [[], [TAX]], discount_amount: [0, 1] }),
        },
      ],
    })),
    ...slugs.flatMap((product) =>
      ['W/B', 'X/B'].flatMap((bin) => [
        { kind: 'stock', store, bin, product, quantity: draw(9) },
        { kind: 'stock', store, bin, product, variant: 'S-1', quantity: draw(9) },
      ]),
    ),
    ...slugs.map((product) => ({
      ...{
        kind: 'order',
        store,
        receipt_number: `TILL-${product}`,
        source: 'POS',
        payment_method: 'CASH',
        created_at: at,
      },
      ...{ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', currency: 'USD', amount: 6, total_amount: 6 },
      ...{ takes_stock: true, line_items: [{ product, name: 'Line', unit_price: 1, quantity: 6 }] },
    })),
  ];
  return lines as BundleLine[];
}
