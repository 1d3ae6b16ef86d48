import { SkuRepository, type Page, type PageOf, type SkuFilter, type SkuId, type SkuRecord } from '@app/application';
import { contains, pageOf, sameWord } from './in-memory-pages.js';

export class InMemorySkuRepository extends SkuRepository {
  private readonly units: { readonly storeId: number; readonly unit: SkuRecord }[] = [];

  add(storeId: number, unit: SkuRecord): void {
    this.units.push({ storeId, unit });
  }

  override list(storeId: number, filter: SkuFilter, page: Page): Promise<PageOf<SkuRecord>> {
    const { skus, productId, inStock, search } = filter;
    const found = this.units
      .filter((row) => row.storeId === storeId)
      .map(({ unit }) => unit)
      .filter(({ sku }) => !skus || skus.some((wanted) => sameWord(sku, wanted)))
      .filter((unit) => productId === undefined || unit.productId === productId)
      .filter(({ quantity }) => !inStock || quantity > 0)
      .filter(({ sku, name }) => search === undefined || contains(sku, search) || contains(name, search))
      .sort(bySku);
    return Promise.resolve(pageOf(found, page));
  }

  override findByIds(storeId: number, ids: readonly SkuId[]): Promise<SkuRecord[]> {
    const isWanted = (unit: SkuRecord) =>
      ids.some(({ productId, variantId }) => unit.productId === productId && unit.variantId === variantId);
    const own = this.units.filter((row) => row.storeId === storeId).map(({ unit }) => unit);
    return Promise.resolve(own.filter(isWanted));
  }
}

/** UTF-8 sorts like code points. */
function bySku(a: SkuRecord, b: SkuRecord): number {
  return (
    Buffer.compare(Buffer.from(a.sku), Buffer.from(b.sku)) ||
    a.productId - b.productId ||
    (a.variantId ?? 0) - (b.variantId ?? 0)
  );
}
