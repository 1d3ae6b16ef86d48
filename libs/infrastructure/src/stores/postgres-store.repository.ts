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
import { Repository, type EntityManager } from 'typeorm';
import { confirmedTransaction } from '../postgres/confirmed-transaction.js';
import { GroupedLookup } from '../postgres/grouped-lookup.js';
import { ReadReplicas } from '../postgres/read-replicas.js';
import { isUniqueViolation, translated } from '../postgres/postgres-errors.js';
import { StoreEntity } from './store.entity.js';

interface ProfileRow {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  readonly currency: Currency;
  readonly status: StoreStatus;
  readonly custom_domain: string;
  readonly logo_url: string;
  readonly primary_color: string;
  readonly seo_title: string;
  readonly contact: unknown;
  readonly theme: unknown;
  readonly payment_settings: unknown;
  readonly ecommerce_settings: unknown;
  readonly methods_with_credentials: string[];
}

// Reads only the ids of the credentials: no query that answers a request reads the credentials themselves.
const PROFILE = `/* stores.profile */
  SELECT id, subdomain, name, currency, status, custom_domain, logo_url, primary_color, seo_title, contact, theme,
    payment_settings, ecommerce_settings,
    ARRAY(SELECT held.method_id FROM gateway_credentials held WHERE held.store_id = stores.id ORDER BY held.method_id)
      AS methods_with_credentials
  FROM stores WHERE id = $1`;

const INSERT = `/* stores.insert */
  INSERT INTO stores (subdomain, name, currency) VALUES ($1, $2, $3)
  RETURNING id, subdomain, name, currency, status`;

@Injectable()
export class PostgresStoreRepository extends StoreRepository {
  /** Requests of a store that arrive together share a look-up. */
  private readonly profiles = new GroupedLookup((ids) => this.findProfiles(ids));

  constructor(
    @InjectRepository(StoreEntity) private readonly stores: Repository<StoreEntity>,
    private readonly database: ReadReplicas,
  ) {
    super();
  }

  override findProfile(storeId: number): Promise<StoreProfile | null> {
    return this.profiles.find(String(storeId));
  }

  override async findBySubdomain(subdomain: string): Promise<StoreSummary | null> {
    const store = await translated(this.stores.findOne({ where: { subdomain }, comment: 'stores.find' }));
    return store && toStoreSummary(store);
  }

  override async list(): Promise<StoreSummary[]> {
    const stores = await translated(this.stores.find({ order: { id: 'ASC' }, comment: 'stores.list' }));
    return stores.map(toStoreSummary);
  }

  override async create(store: { subdomain: string; name: string; currency: Currency }): Promise<StoreSummary> {
    const { subdomain, name, currency } = store;
    const insert = (manager: EntityManager) => manager.query<[StoreSummary]>(INSERT, [subdomain, name, currency]);
    const [created] = await this.write(insert).catch((error: unknown) => {
      throw isUniqueViolation(error, 'stores_subdomain_key') ? new SubdomainTaken(subdomain) : error;
    });
    return created;
  }

  override async setStatus(subdomain: string, status: StoreStatus): Promise<StoreSummary | null> {
    const changed = { status, updatedAt: () => 'now()' };
    await this.write((manager) =>
      manager
        .createQueryBuilder()
        .comment('stores.set_status')
        .update(StoreEntity)
        .set(changed)
        .where({ subdomain })
        .execute(),
    );
    return this.findBySubdomain(subdomain);
  }

  private async findProfiles(ids: readonly string[]): Promise<Map<string, StoreProfile>> {
    const rows = await Promise.all(ids.map((id) => this.database.queryPrepared<ProfileRow>(PROFILE, [id])));
    return new Map(rows.flat().map((row) => [String(row.id), toStoreProfile(row)]));
  }

  private write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return translated(confirmedTransaction(this.stores.manager.dataSource, work));
  }
}

function toStoreSummary({ id, subdomain, name, currency, status }: StoreEntity): StoreSummary {
  return { id, subdomain, name, currency, status };
}

function toStoreProfile(row: ProfileRow): StoreProfile {
  return {
    id: row.id,
    subdomain: row.subdomain,
    name: row.name,
    currency: row.currency,
    status: row.status,
    customDomain: row.custom_domain,
    logoUrl: row.logo_url,
    primaryColor: row.primary_color,
    seoTitle: row.seo_title,
    contact: row.contact,
    theme: row.theme,
    paymentSettings: row.payment_settings,
    methodsWithCredentials: row.methods_with_credentials,
    ecommerceSettings: row.ecommerce_settings,
  };
}
