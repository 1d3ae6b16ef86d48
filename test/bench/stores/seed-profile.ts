import type { Seeding } from './seeding.js';

/** A complete profile, and a gateway whose credentials must stay hidden. */
export async function seedProfile({ sql, storeId }: Seeding): Promise<void> {
  const contact = { email: 'shop@example.com', phone: '+1 555 0100', address: '12 Harbor Street, Portland' };
  const theme = {
    font: 'Inter',
    colors: { primary: '#112233', accent: '#ff8800' },
    layout: ['hero', 'grid', 'footer'],
  };
  const payment = {
    methods: [
      { methodId: 'cod', enabled: true },
      { methodId: 'stripe', enabled: true, isSandbox: false },
      { methodId: 'paypal', enabled: false, isSandbox: true },
    ],
  };
  const ecommerce = { template_id: 'modern-1', show_reviews: true, free_shipping_from: 5_000, languages: ['en', 'de'] };
  await sql.query(
    `UPDATE stores SET custom_domain = 'shop.example.com', logo_url = 'https://cdn.example.com/logo.png',
       primary_color = '#112233', seo_title = 'Everything for the house', contact = $2, theme = $3,
       payment_settings = $4, ecommerce_settings = $5
     WHERE id = $1`,
    [storeId, contact, theme, payment, ecommerce].map((value) =>
      typeof value === 'object' ? JSON.stringify(value) : value,
    ),
  );
  await sql.query(`INSERT INTO gateway_credentials VALUES ($1, 'stripe', '\\x00')`, [storeId]);
}
