import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../ports/change-feed.js';
import { PriceChanges, type ChangedPrices, type PriceChangeRequest, type PriceLine } from '../ports/price-changes.js';
import { SkuRepository, type ResolvedSku } from '../ports/sku.repository.js';

type ChangePricesCommand = Omit<PriceChangeRequest, 'lines'> & { readonly lines: readonly PriceLine[] };

@Injectable()
export class ChangePrices {
  constructor(
    private readonly skus: SkuRepository,
    private readonly prices: PriceChanges,
    private readonly feed: ChangeFeed,
  ) {}

  /** @throws what {@link PriceChanges} throws */
  async execute(command: ChangePricesCommand): Promise<ChangedPrices> {
    const { storeId, lines } = command;
    const skus = [...new Set(lines.flatMap(({ sku }) => sku ?? []))];
    const found = skus.length > 0 ? await this.skus.resolve(storeId, skus) : [];
    const bySku = new Map(skus.map((sku, index) => [sku, found[index]]));
    const changed = await this.prices.apply({
      ...command,
      lines: lines.map((line) => ({ ...line, unit: unitOf(line, bySku) })),
    });
    await this.feed.catchUp(storeId);
    return changed;
  }
}

function unitOf({ sku, productId, variantId }: PriceLine, bySku: ReadonlyMap<string, ResolvedSku | undefined>) {
  if (productId !== null) return { productId, variantId };
  return bySku.get(sku ?? '') ?? 'unknown';
}
