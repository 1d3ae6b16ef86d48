import type { OrderBaseline } from '@app/domain';

/** The maximal age of a baseline. */
const KEPT_MS = 60_000;
const MOST_STORES = 1_000;

interface Entry {
  readonly baseline: Promise<OrderBaseline>;
  readonly until: number;
}

/**
 * The order baseline of each store, read at most once a minute: a statistic of 200 orders hardly changes with one order.
 * The number of stores is bounded; the store with the oldest baseline is evicted first.
 */
export class OrderBaselines {
  private readonly kept = new Map<number, Entry>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly capacity = MOST_STORES,
  ) {}

  /**
   * The baseline of the store, at most a minute old. Orders that ask while it is being read share the answer.
   *
   * @param read is called when there is none. A failure is not kept.
   */
  get(storeId: number, read: () => Promise<OrderBaseline>): Promise<OrderBaseline> {
    const known = this.kept.get(storeId);
    if (known && this.now() < known.until) return known.baseline;

    const entry = { baseline: read(), until: this.now() + KEPT_MS };
    // Deleted first, so that the map stays in the order of age.
    this.kept.delete(storeId);
    this.kept.set(storeId, entry);
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.capacity && oldest !== undefined) this.kept.delete(oldest);
    entry.baseline.catch(() => {
      if (this.kept.get(storeId) === entry) this.kept.delete(storeId);
    });
    return entry.baseline;
  }
}
