import { domainError, NotFound, type Currency } from '@app/domain';

/**
 * A store is MOVING while it moves to another cluster and nothing may write to it. It is MOVED in a cluster that has
 * only a copy, before or after its move.
 */
export type StoreStatus = 'ACTIVE' | 'INACTIVE' | 'MOVING' | 'MOVED';

export interface StoreSummary {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  readonly currency: Currency;
  readonly status: StoreStatus;
  readonly createdAt: Date;
}

/** Settings as configured: the domain's filters remove secrets, not this port. */
export interface StoreProfile extends StoreSummary {
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  readonly customDomain: string;
  readonly logoUrl: string;
  readonly primaryColor: string;
  readonly seoTitle: string;
  readonly contact: unknown;
  readonly theme: unknown;
  readonly paymentSettings: unknown;
  /** The payment methods with stored gateway credentials. */
  readonly methodsWithCredentials: readonly string[];
  readonly ecommerceSettings: unknown;
}

export abstract class StoreRepository {
  abstract findProfile(storeId: number): Promise<StoreProfile | null>;

  abstract findBySubdomain(subdomain: string): Promise<StoreSummary | null>;

  /** @throws NotFound when no store has the subdomain. */
  async require(subdomain: string): Promise<StoreSummary> {
    const store = await this.findBySubdomain(subdomain);
    if (!store) throw new NotFound(`Store ${subdomain}`);
    return store;
  }

  /** Sorted by id. */
  abstract list(): Promise<StoreSummary[]>;

  /** @throws SubdomainTaken when another store has the subdomain. */
  abstract create(store: { subdomain: string; name: string; currency: Currency }): Promise<StoreSummary>;

  /**
   * Takes effect with the next request of the store's keys. Returns null when there is no such store.
   * @throws StoreMoved
   */
  abstract setStatus(subdomain: string, status: StoreStatus): Promise<StoreSummary | null>;
}

export const SubdomainTaken = domainError(
  'rejected',
  'subdomain_taken',
  (subdomain: string) => `Store ${subdomain} already exists`,
);
