import type { PriceChangeRequest, SkuId } from '@app/application';
import { MAX_PRICE_BREAKS, Money, UnitPrice, UnknownPriceList, type Currency, type PriceOutcome } from '@app/domain';
import type { Sql } from '../postgres/sql.js';
import { listedChanges, readListed, writeListed, type ListedChange, type ListedPrices } from './list-prices.js';
import { byKey, type PricedUnit, type PricedUnits, type UnitLine } from './priced-units.js';

// Writers of a list wait for each other, and for its deletion.
const LOCK = `/* prices.lock_list */
  SELECT 1 FROM price_lists WHERE store_id = $1 AND code = $2
  /* @protects list-lock */
  FOR NO KEY UPDATE`;

/** Locks a price list, and returns its prices of the units. @throws UnknownPriceList */
export async function lockListed(
  sql: Sql,
  { storeId, currency }: PriceChangeRequest,
  list: string,
  ids: readonly SkuId[],
): Promise<PricedUnits> {
  const [found] = await sql.query(LOCK, [storeId, list]);
  if (!found) throw new UnknownPriceList(list);
  // A separate statement reads the prices: one that has waited for a lock still sees the rows of before the wait.
  const asked = ids.map(({ productId, variantId }) => ({ list, productId, variantKey: variantId ?? 0 }));
  const units = (await readListed(sql, storeId, asked)).map((stored) => new UnitOfList(stored, currency));
  const changes = () => units.flatMap((unit) => unit.changes);
  return { units: byKey(units), write: () => writeListed(sql, storeId, changes()) };
}

class UnitOfList implements PricedUnit {
  private readonly prices: Map<number, UnitPrice>;

  constructor(
    private readonly stored: ListedPrices,
    private readonly currency: Currency,
  ) {
    this.prices = new Map(
      stored.breaks.map(({ fromQuantity, price }) => {
        return [fromQuantity, new UnitPrice(Money.ofMinor(price, currency), currency)];
      }),
    );
  }

  get productId(): number {
    return this.stored.productId;
  }

  get variantKey(): number {
    return this.stored.variantKey;
  }

  get sku(): string {
    return this.stored.sku;
  }

  set({ price, expected, fromQuantity }: UnitLine): PriceOutcome {
    const known = this.prices.get(fromQuantity) ?? new UnitPrice(null, this.currency);
    const { length: count } = this.breaks;
    if (price === undefined) {
      return count === 0 ? known.refuse('stale', 'The list has no price for the unit') : known.asIs;
    }
    // @protects price-break-limit
    if (price !== null && known.minor === null && count >= MAX_PRICE_BREAKS) {
      const most = `A list can have at most ${MAX_PRICE_BREAKS} prices for each product or variant`;
      return known.refuse('too_many_prices', most);
    }
    this.prices.set(fromQuantity, known);
    return known.set(price, expected);
  }

  get isUnlisted(): boolean {
    return this.breaks.length === 0;
  }

  get changes(): ListedChange[] {
    return listedChanges(this.stored, this.breaks);
  }

  private get breaks() {
    return [...this.prices].flatMap(([fromQuantity, { minor: price }]) =>
      price === null ? [] : [{ fromQuantity, price }],
    );
  }
}
