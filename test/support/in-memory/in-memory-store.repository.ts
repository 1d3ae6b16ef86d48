import {
  StoreRepository,
  SubdomainTaken,
  type StoreProfile,
  type StoreStatus,
  type StoreSummary,
} from '@app/application';
import type { Currency } from '@app/domain';

const NOTHING_CONFIGURED = {
  customDomain: '',
  logoUrl: '',
  primaryColor: '',
  seoTitle: '',
  contact: {},
  theme: {},
  paymentSettings: {},
  methodsWithCredentials: [],
  ecommerceSettings: {},
};

export class InMemoryStoreRepository extends StoreRepository {
  private readonly stores = new Map<number, StoreProfile>();

  /** Changes an existing store. */
  configure(storeId: number, changes: Partial<StoreProfile>): void {
    this.stores.set(storeId, { ...(this.stores.get(storeId) as StoreProfile), ...changes });
  }

  override findProfile(storeId: number): Promise<StoreProfile | null> {
    return Promise.resolve(this.stores.get(storeId) ?? null);
  }

  override findBySubdomain(subdomain: string): Promise<StoreSummary | null> {
    const store = [...this.stores.values()].find((other) => other.subdomain === subdomain);
    return Promise.resolve(store ? summaryOf(store) : null);
  }

  override list(): Promise<StoreSummary[]> {
    return Promise.resolve([...this.stores.values()].map(summaryOf));
  }

  override async create(store: { subdomain: string; name: string; currency: Currency }): Promise<StoreSummary> {
    const { subdomain, name, currency } = store;
    if (await this.findBySubdomain(subdomain)) throw new SubdomainTaken(subdomain);
    const id = this.stores.size + 1;
    const created: StoreProfile = { ...NOTHING_CONFIGURED, id, subdomain, name, currency, status: 'ACTIVE' };
    this.stores.set(id, created);
    return summaryOf(created);
  }

  override async setStatus(subdomain: string, status: StoreStatus): Promise<StoreSummary | null> {
    const store = await this.findBySubdomain(subdomain);
    if (store) this.configure(store.id, { status });
    return store && { ...store, status };
  }
}

function summaryOf({ id, subdomain, name, currency, status }: StoreProfile): StoreSummary {
  return { id, subdomain, name, currency, status };
}
