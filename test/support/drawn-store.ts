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
  // It breaks quoting, lines and sorting.
  const hostile = `"quoted" \\ \\n \\u0000 {"a":[1,} line\nbreak\ttab \u2028 \u001b[31m 👨‍👩‍👧 e\u0301 İ ı \u202e =cmd|x`;
  const text = ['', null, 'text', ' blanks ', hostile];
  const flag = [true, false];
  const metadata = [{}, { erp_id: '4711', [hostile.slice(0, 40)]: hostile }, { ' ': 'x' }];
  const slugs = ['a', 'b', 'c'];
  const lines = [
    {
      ...{ kind: 'store', subdomain: store, name: 'Store', currency: 'USD', status: one('ACTIVE', 'INACTIVE') },
      ...fields({ custom_domain: text, logo_url: text, primary_color: text, seo_title: text }),
      ...fields({ time_zone: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'] }),
      ...fields({
        contact: [{}, { phone: null, address: '' }, { email: 'shop@example.com', phone: ' 1 ' }],
        theme: [{}, { a: null, b: '', c: [null, ''] }],
        fraud_settings: [{}, { review_orders_per_email: null, blocked_emails: [''] }],
      }),
    },
    { kind: 'warehouse', store, code: 'W', name: 'W', ...fields({ active: flag }) },
    { kind: 'bin', store, warehouse: 'W', code: 'B' },
    ...slugs.flatMap((slug, n) => [
      { kind: 'brand', store, slug, name: slug, ...fields({ logo: text, description: text, active: flag }) },
      {
        ...{ kind: 'category', store, slug, name: slug, ...fields({ image: text, order: [0, 5], active: flag }) },
        ...(n > 0 && fields({ parent: [null, slugs[n - 1]] })),
      },
    ]),
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
    ...slugs.map((slug) => ({
      ...{ kind: 'customer', store, name: one('', slug), email: `${slug}@example.com` },
      ...fields({
        phone: text.slice(0, 4),
        status: ['Active', 'On hold'],
        tags: [[], ['', 'vip']],
        city: text,
        metadata,
      }),
      ...fields({ last_login: [null, '2026-01-02T03:04:05.678Z'], national_id: ['', 'x'], total_spent: [0, 7] }),
    })),
    ...slugs.map((product) => ({
      ...{ kind: 'order', store, receipt_number: `POS-${product}`, source: 'POS', payment_method: 'CASH' },
      ...{ status: 'PENDING', fulfillment_status: 'PENDING', currency: 'USD', amount: 1, total_amount: 1 },
      ...fields({
        customer_email: text,
        notes: text,
        shipping_address: [{}, { zip: null }],
        customer_id: [null],
        metadata,
      }),
      created_at: '2026-01-02T03:04:05.678Z',
      line_items: [{ product, name: 'Line', unit_price: 1, quantity: 1, ...fields({ metadata }) }],
    })),
    ...slugs.map((product) => ({ kind: 'stock', store, bin: 'W/B', product, quantity: draw(9) })),
  ];
  return lines as BundleLine[];
}
