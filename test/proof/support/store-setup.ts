import type { StoreFixture } from '../../builders/store-fixture.js';

/** Occurs in every text from a client: in a log or in another store's answer, it is a leak. */
export const CANARY = 'cnry7f3a';

export interface OrderBody {
  readonly items: readonly { readonly product_id: number; readonly variant_id?: number; readonly quantity: number }[];
  readonly customer: Readonly<Record<string, string>>;
  /** Identifies the order: the oracle finds the order's requests by it. */
  readonly notes: string;
}

let serial = 0;

/** An order of a new customer. @param label states its purpose for readers of the history. */
export function orderBody(items: OrderBody['items'], label = 'order'): OrderBody {
  const marker = `${CANARY}-${label}-${++serial}`;
  const phone = `+1 555 ${String(serial).padStart(7, '0')}`;
  const place = { address: `${marker} Main Street`, city: 'Springfield', zip: '12345' };
  return {
    items,
    customer: { name: `${marker} Buyer`, email: `${marker}@example.com`, phone, ...place },
    notes: marker,
  };
}

/** Products with that many units each, spread over bins. @returns their ids. */
export async function stockShelves(
  store: StoreFixture,
  products: number,
  stock: readonly number[],
): Promise<readonly number[]> {
  const ids: number[] = [];
  // Prices differ, so that a swapped price is noticed.
  for (let n = 0; n < products; n++) ids.push(await store.product({ price: 199 + 101 * n, stock }));
  return ids;
}

/** Runs the tasks with this number of workers; each takes the next task when it is done. */
export async function inParallel<T>(workers: number, tasks: Iterable<T>, work: (task: T) => Promise<unknown>) {
  const queue = tasks[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** In random order. */
export function shuffled<T>(values: readonly T[], random: (below: number) => number): T[] {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
