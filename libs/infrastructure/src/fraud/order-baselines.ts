import type { OrderBaseline } from '@app/domain';

const KEPT_MS = 60_000;
const MOST_STORES = 1_000;

/**
 * What is usual in each store, kept for a minute: a statistic of 200 orders does not change with each new one.
 * Of a bounded number of stores; those longest unrefreshed go first.
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
    // Deleted first, so that the map stays in the order of refreshing.
    this.kept.delete(storeId);
    this.kept.set(storeId, { baseline, until: this.now() + KEPT_MS });
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.capacity && oldest !== undefined) this.kept.delete(oldest);
  }
}
