import {
  ProductRepository,
  type Page,
  type PageOf,
  type ProductFilter,
  type ProductRecord,
  type ProductSummary,
} from '@app/application';
import { contains, newestFirst, pageOf } from './in-memory-pages.js';

export class InMemoryProductRepository extends ProductRepository {
  private readonly products: { readonly storeId: number; readonly product: ProductRecord }[] = [];

  add(storeId: number, product: ProductRecord): void {
    this.products.push({ storeId, product });
  }

  override list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ProductSummary>> {
    const { categoryId, search, featured, inStock } = filter;
    const found = this.active(storeId)
      .filter(({ categories }) => categoryId === undefined || categories.some(({ id }) => id === categoryId))
      .filter(({ name }) => search === undefined || contains(name, search))
      .filter((product) => !featured || product.featured)
      .filter(({ quantity }) => !inStock || quantity > 0)
      .sort(newestFirst);
    return Promise.resolve(pageOf(found.map(summaryOf), page));
  }

  override findById(storeId: number, id: number): Promise<ProductRecord | null> {
    return Promise.resolve(this.active(storeId).find((product) => product.id === id) ?? null);
  }

  override findByIds(storeId: number, ids: readonly number[]): Promise<ProductRecord[]> {
    return Promise.resolve(this.active(storeId).filter((product) => ids.includes(product.id)));
  }

  override findBySlug(storeId: number, slug: string): Promise<ProductRecord | null> {
    return Promise.resolve(this.active(storeId).find((product) => product.slug === slug) ?? null);
  }

  private active(storeId: number): ProductRecord[] {
    return this.products
      .filter((row) => row.storeId === storeId && row.product.status === 'ACTIVE')
      .map(({ product }) => product);
  }
}

function summaryOf({ id, name, slug, price, quantity, status }: ProductRecord): ProductSummary {
  return { id, name, slug, price, quantity, status };
}
