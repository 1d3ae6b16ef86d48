import type { OrderBaseline } from '@app/domain';

const KEPT_MS = 60_000;
const MOST_STORES = 1_000;

/**
 * The order baseline of each store, cached for a minute: a statistic of 200 orders hardly changes with one order. The
 * number of stores is bounded; the store with the oldest refresh is evicted first.
 */
export class OrderBaselines {
  private readonly kept = new Map<number, { readonly baseline: OrderBaseline; readonly until: number }>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly capacity = MOST_STORES,
  ) {}

  get(storeId: number): OrderBaseline | undefined {
    const entry = this.kept.get(storeId);
    return entry && this.now() < entry.until ? entry.baseline : undefined;
  }

  set(storeId: number, baseline: OrderBaseline): void {
    // Deleted first, so that the map stays in refresh order.
    this.kept.delete(storeId);
    this.kept.set(storeId, { baseline, until: this.now() + KEPT_MS });
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.capacity && oldest !== undefined) this.kept.delete(oldest);
  }
}
