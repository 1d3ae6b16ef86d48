import type { BundleLine } from '@app/bundles';

/** Texts that break quoting, lines, sorting or a spreadsheet. */
export const HOSTILE = [
  `"quoted" 'single' \`back\` \\ \\n \\u0000 {"a":[1,}`,
  'line\nbreak\r\nand\ttab \u2028 separator \u2029 paragraph \u0085 next \u001b[31m',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 👨‍👩‍👧‍👦 é e\u0301 ß İ ı Σ ς ﬁ',
  'שלום \u202e turned \u2066 مرحبا \u2069',
  `=cmd|'/c calc'!A1`,
  '</script><img src=x onerror=alert(1)> ${x} {{x}} %00 %s',
];

const all = (length: number) =>
  Array.from(`${HOSTILE.join(' ')} ${'long 長い '.repeat(length)}`)
    .slice(0, length)
    .join('')
    .trim();
const start = (text: string, length: number) => Array.from(text).slice(0, length).join('');
const text = (n: number) => HOSTILE[n % HOSTILE.length] as string;

/** A store with hostile text in every field, of the greatest length where the field is free. */
export function aHostileStore(store: string): BundleLine[] {
  const products = HOSTILE.map((name, n): BundleLine => {
    const variants = [3, 2, 1].map((place) => ({
      sku: `${text(n + place)} ${place}`,
      name: text(place),
      price: `${place}.05`,
      attributes: { [text(place)]: text(n), Size: all(900), 42: 'a whole number', '=A1': '' },
      status: place === 2 ? ('INACTIVE' as const) : ('ACTIVE' as const),
    }));
    return {
      ...{ kind: 'product', store, slug: `p ${n} ${name}`, sku: text(n + 1), name: `${name} ${n}`, price: `${n}.10` },
      ...{ status: 'ACTIVE', featured: n % 2 === 0, description: all(90_000), brand: text(n) },
      categories: [text(n), text(n + 1)].map((slug) => `c ${slug}`),
      images: [{ url: `https://images.example.com/${n}?"`, alt: text(n) }, { url: text(1) }],
      specifications: [{ name: text(n), value: all(9_000) }],
      variants: n === 0 ? [] : variants,
      created_at: '2026-01-02T03:04:05.678Z',
    };
  });
  return [
    {
      ...{ kind: 'store', subdomain: store, name: text(0), currency: 'KWD', custom_domain: 'hostile.example' },
      ...{
        logo_url: text(1),
        primary_color: '#112233',
        seo_title: text(2),
        ecommerce_settings: { template_id: text(3) },
      },
      contact: { email: 'shop@example.com', phone: text(4), address: text(5) },
      theme: { [text(0)]: [text(1), { deep: [null, 1.5, true, text(2)] }], api_key: 'sk_live_hidden_in_the_theme' },
      payment_settings: {
        methods: [
          { methodId: 'cod', enabled: true },
          { methodId: text(4), enabled: false, isSandbox: true, credentials: { secret_key: 'hidden-credential' } },
        ],
      },
      fraud_settings: { blocked_emails: ['blocked@example.com'], review_amount: 1_000, review_orders_per_email: null },
    },
    { kind: 'warehouse', store, code: '"W"', name: text(1) },
    { kind: 'warehouse', store, code: 'CLOSED', name: text(2), active: false },
    { kind: 'bin', store, warehouse: '"W"', code: '=1+1' },
    { kind: 'bin', store, warehouse: 'CLOSED', code: 'א' },
    ...HOSTILE.map((slug): BundleLine => ({
      kind: 'brand',
      store,
      slug,
      name: slug,
      logo: slug,
      description: all(500),
    })),
    ...HOSTILE.map((name, n): BundleLine => {
      const parent = n === 0 ? null : `c ${text(n - 1)}`;
      return { kind: 'category', store, slug: `c ${name}`, name, image: name, description: name, order: -n, parent };
    }),
    ...products,
    ...products.flatMap((line, n): BundleLine[] => {
      if (line.kind !== 'product') return [];
      const variant = line.variants?.[0]?.sku ?? null;
      return [
        { kind: 'stock', store, bin: '"W"/=1+1', product: line.slug, variant, quantity: 100 + n },
        { kind: 'stock', store, bin: 'CLOSED/א', product: line.slug, quantity: 7 },
      ];
    }),
    ...HOSTILE.map((name, n): BundleLine => {
      const email = n === 5 ? '' : `=ada+${n}'@xn--bcher-kva.example`;
      return {
        ...{
          kind: 'customer',
          store,
          name,
          email,
          phone: start(text(n + 1), 40),
          status: n % 2 ? 'Active' : 'On hold',
        },
        ...{ tags: [text(n), text(n + 1)], city: text(n + 2), total_spent: n, password_hash: 'hidden-hash' },
        ...{ verification_token: 'hidden-token', national_id: 'hidden-national-id', email_verified: n % 2 === 0 },
        ...{ created_at: '2026-01-02T03:04:05.678Z', last_login: n === 0 ? null : '2026-05-06T07:08:09.001Z' },
      };
    }),
    ...HOSTILE.map((name, n): BundleLine => {
      const [first] = products;
      const product = first?.kind === 'product' ? first.slug : null;
      return {
        ...{
          kind: 'order',
          store,
          receipt_number: `POS-${n}-x`,
          source: 'POS',
          payment_method: start(text(n), 60).trim(),
        },
        ...{ status: 'REFUNDED', fulfillment_status: 'RETURNED', currency: 'KWD', amount: -500, total_amount: -499 },
        ...{
          customer_name: name,
          customer_email: `=ADA+${n}'"@xn--bcher-kva.example`,
          customer_phone: start(name, 40),
        },
        ...{ shipping_address: n === 1 ? {} : { address: name, zip: '=1' }, notes: all(9_000) },
        created_at: '2025-12-31T23:59:59.999Z',
        line_items: [
          { product, name, unit_price: -250, quantity: 2, sku: text(n) },
          { name: all(400), unit_price: 0, quantity: 1 },
        ],
      };
    }),
  ];
}
