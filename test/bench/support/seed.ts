import type { TestDatabase } from '../../support/test-database.js';
import { catalog, customers, emptyStore, finish, orders } from './seed-sql.js';

/** How much there is in the measured store; each of the nine stores beside it has a tenth. */
export interface Sizes {
  readonly orders: number;
  readonly products: number;
  readonly customers: number;
}

/** The store that is measured. */
export const MEASURED = 1;
/** The store that the reference sells from: its catalog is as large as the measured one's. */
export const TWIN = 2;
const STORES = 10;
const CHUNK = 50_000;

/** The product of which there is no end, in five bins, without variants. */
export const hotProduct = ({ products }: Sizes): number => products + 1;

/** Fills an empty database: ten stores, with two years of orders. The same seed and moment make the same rows. */
export async function seed(database: TestDatabase, sizes: Sizes, seedNumber: number, until: Date): Promise<void> {
  for (let store = 1; store <= STORES; store++) {
    const share = (count: number) => (store === MEASURED ? count : Math.ceil(count / 10));
    const all = {
      store,
      seed: seedNumber,
      until: until.toISOString(),
      orders: share(sizes.orders),
      products: store === TWIN ? sizes.products : share(sizes.products),
      customers: share(sizes.customers),
    };
    for (const statement of [...emptyStore(all), ...catalog(all), customers(all)]) await database.query(statement);
    for (let from = 1; from <= all.orders; from += CHUNK) {
      const to = Math.min(from + CHUNK - 1, all.orders);
      for (const statement of orders({ ...all, from, to })) await database.query(statement);
    }
  }
  for (const statement of finish()) await database.query(statement);
}
