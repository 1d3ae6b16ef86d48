import { Injectable } from '@nestjs/common';
import { PriceChanges, type ChangedPrices, type PriceChangeRequest, type PriceLine } from '../ports/price-changes.js';
import { SkuRepository, type ResolvedSku } from '../ports/sku.repository.js';
import { requestHashOf } from '../request-hash.js';

type ChangePricesCommand = Omit<PriceChangeRequest, 'lines' | 'requestHash'> & { readonly lines: readonly PriceLine[] };

@Injectable()
export class ChangePrices {
  constructor(
    private readonly skus: SkuRepository,
    private readonly prices: PriceChanges,
  ) {}

  /** @throws what {@link PriceChanges} throws */
  async execute(command: ChangePricesCommand): Promise<ChangedPrices> {
    const { storeId, lines, reference, isAtomic } = command;
    const skus = [...new Set(lines.flatMap(({ sku }) => sku ?? []))];
    const found = skus.length > 0 ? await this.skus.resolve(storeId, skus) : [];
    const bySku = new Map(skus.map((sku, index) => [sku, found[index]]));
    return this.prices.apply({
      ...command,
      lines: lines.map((line) => ({ ...line, unit: unitOf(line, bySku) })),
      requestHash: requestHashOf(['prices', lines, reference, isAtomic]),
    });
  }
}

function unitOf({ sku, productId, variantId }: PriceLine, bySku: ReadonlyMap<string, ResolvedSku | undefined>) {
  if (productId !== null) return { productId, variantId };
  return bySku.get(sku ?? '') ?? 'unknown';
}
