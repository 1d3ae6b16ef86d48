import {
  StoreRepository,
  SubdomainTaken,
  type StoreProfile,
  type StoreStatus,
  type StoreSummary,
} from '@app/application';
import type { Currency } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { isUniqueViolation } from '../postgres-errors.js';
import { StoreEntity } from './store.entity.js';

// The ids alone: credentials are read by nothing that answers a request.
const METHODS_WITH_CREDENTIALS = `
  ARRAY(SELECT held.method_id FROM gateway_credentials held WHERE held.store_id = store.id ORDER BY held.method_id)`;

@Injectable()
export class TypeOrmStoreRepository extends StoreRepository {
  constructor(@InjectRepository(StoreEntity) private readonly stores: Repository<StoreEntity>) {
    super();
  }

  override async findProfile(storeId: number): Promise<StoreProfile | null> {
    const { entities, raw } = await this.stores
      .createQueryBuilder('store')
      .addSelect(METHODS_WITH_CREDENTIALS, 'methods_with_credentials')
      .where('store.id = :storeId', { storeId })
      .getRawAndEntities<{ methods_with_credentials: string[] }>();
    const [store] = entities;
    return store ? toStoreProfile(store, raw[0]?.methods_with_credentials ?? []) : null;
  }

  override async findBySubdomain(subdomain: string): Promise<StoreSummary | null> {
    const store = await this.stores.findOneBy({ subdomain });
    return store && toStoreSummary(store);
  }

  override async list(): Promise<StoreSummary[]> {
    const stores = await this.stores.find({ order: { id: 'ASC' } });
    return stores.map(toStoreSummary);
  }

  override async create(store: { subdomain: string; name: string; currency: Currency }): Promise<StoreSummary> {
    const { subdomain, name, currency } = store;
    const created = await this.stores
      .save(this.stores.create({ subdomain, name, currency }))
      .catch((error: unknown) => {
        throw isUniqueViolation(error, 'stores_subdomain_key') ? new SubdomainTaken(subdomain) : error;
      });
    return toStoreSummary(created);
  }

  override async setStatus(subdomain: string, status: StoreStatus): Promise<StoreSummary | null> {
    await this.stores.update({ subdomain }, { status, updatedAt: () => 'now()' });
    return this.findBySubdomain(subdomain);
  }
}

function toStoreSummary({ id, subdomain, name, currency, status }: StoreEntity): StoreSummary {
  return { id, subdomain, name, currency, status };
}

function toStoreProfile(store: StoreEntity, methodsWithCredentials: readonly string[]): StoreProfile {
  return {
    ...toStoreSummary(store),
    customDomain: store.customDomain,
    logoUrl: store.logoUrl,
    primaryColor: store.primaryColor,
    seoTitle: store.seoTitle,
    contact: store.contact,
    theme: store.theme,
    paymentSettings: store.paymentSettings,
    methodsWithCredentials,
    ecommerceSettings: store.ecommerceSettings,
  };
}
