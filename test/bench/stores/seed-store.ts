import pg from 'pg';
import { StoreFixture } from '../../builders/store-fixture.js';
import type { TestDatabase } from '../../support/test-database.js';
import { HOT_SLUG, seedCatalog } from './seed-catalog.js';
import { seedOrders } from './seed-orders.js';
import { seedStock } from './seed-stock.js';
import { advanceIdentities, beginSeeding, inChunks, type Seeding } from './seeding.js';

export interface SeededStore {
  readonly id: number;
  readonly key: string;
  readonly hotProductId: number;
}

/** Creates a store with that many orders; the same seed gives the same store, except for its ids. */
export async function seedStore(database: TestDatabase, orders: number, seed: number): Promise<SeededStore> {
  const { id, key } = await StoreFixture.create(database);
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  try {
    const seeding = await beginSeeding(sql, id, orders, seed);
    await seedProfile(seeding);
    await seedCatalog(seeding);
    await seedStock(seeding);
    await seedCustomers(seeding);
    await seedOrders(seeding);
    await advanceIdentities(sql);
  } finally {
    await sql.end();
  }
  const [hot] = await database.query<{ id: number }>(`SELECT id FROM products WHERE store_id = $1 AND slug = $2`, [
    id,
    HOT_SLUG,
  ]);
  return { id, key, hotProductId: hot?.id ?? 0 };
}

/** Brings the server to a steady state, with nothing left to write. */
export async function settle(database: TestDatabase): Promise<void> {
  // A worker does the same every second, 5,000 changes of a store at a time.
  const number = 'SELECT number_changes(id) AS moved FROM stores';
  while ((await database.query<{ moved: number | null }>(number)).some(({ moved }) => moved !== 0));
  await database.query('VACUUM ANALYZE');
  // The checkpoint needs a superuser; otherwise the server writes one at its own time.
  await database.query('CHECKPOINT').catch(() => undefined);
}

async function seedProfile({ sql, storeId }: Seeding): Promise<void> {
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
    [storeId, ...[contact, theme, payment, ecommerce].map((value) => JSON.stringify(value))],
  );
  await sql.query(`INSERT INTO gateway_credentials VALUES ($1, 'stripe', '\\x00')`, [storeId]);
}

async function seedCustomers({ sql, storeId, sizes, draws, people }: Seeding): Promise<void> {
  await inChunks(
    sql,
    sizes.customers,
    `INSERT INTO customers (store_id, id, name, email, phone, status, email_verified, loyalty_points, total_spent, tags,
       city, created_at, last_login)
     SELECT ${storeId}, ${people.id('k')}, ${people.name('k')}, ${people.email('k')}, ${people.phone('k')},
       ${draws.weighted({ Active: 80, Inactive: 15, Blocked: 5 }, 'k', 'customer status')},
       ${draws.below(4, 'k', 'verified')} > 0, ${draws.below(5_000, 'k', 'points')},
       ${draws.below(500_000, 'k', 'spent')},
       CASE WHEN k % 4 = 0 THEN ARRAY['vip', 'newsletter'] WHEN k % 4 = 1 THEN ARRAY['newsletter'] ELSE '{}' END,
       ${people.city('k')}, ${people.since('k')}, CASE WHEN k % 3 > 0 THEN now() - interval '1 hour' * (k % 5000) END
     FROM generate_series($1::bigint, $2::bigint) AS k`,
  );
}
