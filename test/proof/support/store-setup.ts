import { eventually } from '../../support/eventually.js';
import type { Random } from './proof.js';

/** Occurs in every text from a client: in a log or in another store's answer, it is a leak. */
export const CANARY = 'cnry7f3a';

export interface OrderBody {
  readonly items: readonly { readonly product_id: number; readonly variant_id?: number; readonly quantity: number }[];
  readonly customer: Readonly<Record<string, string>>;
  /** Identifies the order: the oracle finds the order's requests by it. */
  readonly notes: string;
}

let serial = 0;

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

export async function inParallel<T>(workers: number, tasks: Iterable<T>, work: (task: T) => Promise<unknown>) {
  const queue = tasks[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}

export function oneOf<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T;
}

/** Violations that remain at the deadline: the proof continues, so that the oracle reports the consequences. */
export async function inTime(assertion: () => unknown, timeoutMs = 60_000): Promise<string[]> {
  return eventually(assertion, timeoutMs).then(
    () => [],
    (error: Error) => [error.message],
  );
}
