import pg from 'pg';
import { StoreFixture } from '../../builders/store-fixture.js';
import type { TestDatabase } from '../../support/test-database.js';
import { HOT_SLUG, seedCatalog } from './seed-catalog.js';
import { seedCustomers } from './seed-customers.js';
import { seedOrders } from './seed-orders.js';
import { seedProfile } from './seed-profile.js';
import { seedStock } from './seed-stock.js';
import { advanceIdentities, beginSeeding } from './seeding.js';
import { fraction, type StoreSizes } from './sizes.js';

export interface SeededStore {
  readonly id: number;
  readonly subdomain: string;
  /** A live key. */
  readonly key: string;
  readonly hotProductId: number;
}

export interface SeededStores {
  /** The store under measurement. */
  readonly measured: SeededStore;
  /** An equal store, for orders that keep no ledger. */
  readonly twin: SeededStore;
}

const BYSTANDERS = 9;

/** The measured store, its equal, and nine others of a tenth of its size each. */
export async function seedStores(database: TestDatabase, sizes: StoreSizes, seed: number): Promise<SeededStores> {
  const others = Array.from({ length: BYSTANDERS }, () => fraction(sizes, 10));
  const [measured, twin] = [await seedStore(database, sizes, seed), await seedStore(database, sizes, seed)];
  for (const other of others) await seedStore(database, other, seed);
  return { measured, twin };
}

/** One store; the same seed gives the same store, except for its ids. */
export async function seedStore(database: TestDatabase, sizes: StoreSizes, seed: number): Promise<SeededStore> {
  const { id, subdomain, key } = await StoreFixture.create(database);
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  try {
    const seeding = await beginSeeding(sql, id, sizes, seed);
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
  return { id, subdomain, key, hotProductId: hot?.id ?? 0 };
}

/**
 * Brings the server to a steady state: changes numbered, statistics gathered, pages marked visible, nothing left to write.
 */
export async function settle(database: TestDatabase): Promise<void> {
  // As a worker does every second, 5,000 changes of a store at a time.
  const number = 'SELECT number_changes(id) AS moved FROM stores';
  while ((await database.query<{ moved: number | null }>(number)).some(({ moved }) => moved !== 0));
  await database.query('VACUUM ANALYZE');
  // Needs a superuser; otherwise the server writes a checkpoint at its own time.
  await database.query('CHECKPOINT').catch(() => undefined);
}
