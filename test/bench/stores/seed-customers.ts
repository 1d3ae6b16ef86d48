import { inChunks, type Seeding } from './seeding.js';

export async function seedCustomers({ sql, storeId, sizes, draws, people }: Seeding): Promise<void> {
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
