import type { StoreFixture } from '../../builders/store-fixture.js';

/** In every text a client sends: whatever of it turns up in a log or a foreign answer has leaked. */
export const CANARY = 'cnry7f3a';

export interface OrderBody {
  readonly items: readonly { readonly product_id: number; readonly variant_id?: number; readonly quantity: number }[];
  readonly customer: Readonly<Record<string, string>>;
  /** Tells the order apart from every other: the oracle finds the requests of an order by it. */
  readonly notes: string;
}

let serial = 0;

/** An order of somebody who never ordered before. @param label tells its purpose to whoever reads the history. */
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
  // Prices differ, so that a line that got another line's price is noticed.
  for (let n = 0; n < products; n++) ids.push(await store.product({ price: 199 + 101 * n, stock }));
  return ids;
}

/** Runs as many at a time as there are workers, each taking the next when it is done. */
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
