import { CategoryRepository, type CategoryFilter, type CategoryRecord, type Page, type PageOf } from '@app/application';
import { ascending, contains, pageOf } from './in-memory-pages.js';

export class InMemoryCategoryRepository extends CategoryRepository {
  private readonly rows: { readonly storeId: number; readonly category: CategoryRecord; readonly active: boolean }[] =
    [];

  add(storeId: number, category: CategoryRecord, active: boolean): void {
    this.rows.push({ storeId, category, active });
  }

  override list(storeId: number, filter: CategoryFilter, page: Page): Promise<PageOf<CategoryRecord>> {
    const { parentId, search } = filter;
    const found = this.rows
      .filter((row) => row.storeId === storeId && row.active)
      .map(({ category }) => category)
      .filter((category) => parentId === undefined || category.parentId === parentId)
      .filter(({ name }) => search === undefined || contains(name, search))
      .sort(
        ascending(
          ({ displayOrder }) => displayOrder,
          ({ name }) => name,
          ({ id }) => id,
        ),
      );
    return Promise.resolve(pageOf(found, page));
  }

  override findById(storeId: number, id: number): Promise<CategoryRecord | null> {
    return this.find(storeId, (category) => category.id === id);
  }

  override findByIds(storeId: number, ids: readonly number[]): Promise<CategoryRecord[]> {
    const found = this.rows.filter((row) => row.storeId === storeId && ids.includes(row.category.id));
    return Promise.resolve(found.map(({ category }) => category));
  }

  override findBySlug(storeId: number, slug: string): Promise<CategoryRecord | null> {
    return this.find(storeId, (category) => category.slug === slug);
  }

  private find(storeId: number, matches: (category: CategoryRecord) => boolean): Promise<CategoryRecord | null> {
    const row = this.rows.find((other) => other.storeId === storeId && matches(other.category));
    return Promise.resolve(row?.category ?? null);
  }
}
