import { CustomerRepository, type CustomerFilter, type CustomerRecord, type Page, type PageOf } from '@app/application';
import { contains, newestFirst, pageOf, sameWord } from './in-memory-pages.js';

export class InMemoryCustomerRepository extends CustomerRepository {
  private readonly rows: { readonly storeId: number; readonly customer: CustomerRecord }[] = [];

  add(storeId: number, customer: CustomerRecord): void {
    this.rows.push({ storeId, customer });
  }

  override list(storeId: number, { status, search }: CustomerFilter, page: Page): Promise<PageOf<CustomerRecord>> {
    const found = this.of(storeId)
      .filter((customer) => status === undefined || sameWord(customer.status, status))
      .filter(({ name, email }) => search === undefined || contains(name, search) || contains(email, search))
      .sort(newestFirst);
    return Promise.resolve(pageOf(found, page));
  }

  override findById(storeId: number, id: string): Promise<CustomerRecord | null> {
    return Promise.resolve(this.of(storeId).find((customer) => sameWord(customer.id, id)) ?? null);
  }

  override findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]> {
    return Promise.resolve(this.of(storeId).filter((customer) => ids.includes(customer.id)));
  }

  private of(storeId: number): CustomerRecord[] {
    return this.rows.filter((row) => row.storeId === storeId).map(({ customer }) => customer);
  }
}
