import { BrandRepository, type BrandFilter, type BrandRecord, type Page, type PageOf } from '@app/application';
import { ascending, contains, pageOf } from './in-memory-pages.js';

export class InMemoryBrandRepository extends BrandRepository {
  private readonly rows: { readonly storeId: number; readonly brand: BrandRecord; readonly active: boolean }[] = [];

  add(storeId: number, brand: BrandRecord, active: boolean): void {
    this.rows.push({ storeId, brand, active });
  }

  override list(storeId: number, { search }: BrandFilter, page: Page): Promise<PageOf<BrandRecord>> {
    const found = this.rows
      .filter((row) => row.storeId === storeId && row.active)
      .map(({ brand }) => brand)
      .filter(({ name }) => search === undefined || contains(name, search))
      .sort(
        ascending(
          ({ name }) => name.toLowerCase(),
          ({ id }) => id,
        ),
      );
    return Promise.resolve(pageOf(found, page));
  }

  override findById(storeId: number, id: number): Promise<BrandRecord | null> {
    return this.find(storeId, (brand) => brand.id === id);
  }

  override findByIds(storeId: number, ids: readonly number[]): Promise<BrandRecord[]> {
    const found = this.rows.filter((row) => row.storeId === storeId && ids.includes(row.brand.id));
    return Promise.resolve(found.map(({ brand }) => brand));
  }

  override findBySlug(storeId: number, slug: string): Promise<BrandRecord | null> {
    return this.find(storeId, (brand) => brand.slug === slug);
  }

  private find(storeId: number, matches: (brand: BrandRecord) => boolean): Promise<BrandRecord | null> {
    const row = this.rows.find((other) => other.storeId === storeId && matches(other.brand));
    return Promise.resolve(row?.brand ?? null);
  }
}
