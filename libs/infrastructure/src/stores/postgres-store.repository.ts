import {
  StoreRepository,
  SubdomainTaken,
  type StoreProfile,
  type StoreStatus,
  type StoreSummary,
} from '@app/application';
import type { Currency } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { GroupedLookup } from '../postgres/grouped-lookup.js';
import { isUniqueViolation } from '../postgres/postgres-errors.js';

// The statement reads only the ids of the credentials: no query that answers a request reads the credentials
// themselves.
const PROFILE = `/* stores.profile */
  SELECT id, subdomain, name, currency, status, created_at AS "createdAt", time_zone AS "timeZone",
    custom_domain AS "customDomain", logo_url AS "logoUrl", primary_color AS "primaryColor", seo_title AS "seoTitle", contact, theme,
    payment_settings AS "paymentSettings", ecommerce_settings AS "ecommerceSettings",
    ARRAY(SELECT held.method_id FROM gateway_credentials held WHERE held.store_id = stores.id ORDER BY held.method_id)
      AS "methodsWithCredentials"
  FROM stores WHERE id = $1`;

const SUMMARY = 'id, subdomain, name, currency, status, created_at AS "createdAt"';

@Injectable()
export class PostgresStoreRepository extends StoreRepository {
  /** Requests for a store that arrive together share a look-up. */
  private readonly profiles = new GroupedLookup((ids) => this.findProfiles(ids));

  constructor(private readonly database: Database) {
    super();
  }

  override findProfile(storeId: number): Promise<StoreProfile | null> {
    return this.profiles.find(String(storeId));
  }

  override async findBySubdomain(subdomain: string): Promise<StoreSummary | null> {
    const sql = `/* stores.find */ SELECT ${SUMMARY} FROM stores WHERE subdomain = $1`;
    const [store] = await this.database.query<StoreSummary>(sql, [subdomain]);
    return store ?? null;
  }

  override list(): Promise<StoreSummary[]> {
    return this.database.query(`/* stores.list */ SELECT ${SUMMARY} FROM stores ORDER BY id`);
  }

  override async create(store: { subdomain: string; name: string; currency: Currency }): Promise<StoreSummary> {
    const { subdomain, name, currency } = store;
    const sql = `/* stores.insert */ INSERT INTO stores (subdomain, name, currency) VALUES ($1, $2, $3) RETURNING ${SUMMARY}`;
    const [created] = await this.database
      .write<StoreSummary>(sql, [subdomain, name, currency])
      .catch((error: unknown) => {
        throw isUniqueViolation(error, 'stores_subdomain_key') ? new SubdomainTaken(subdomain) : error;
      });
    return created as StoreSummary;
  }

  override async setStatus(subdomain: string, status: StoreStatus): Promise<StoreSummary | null> {
    const sql = `/* stores.set_status */
      UPDATE stores SET status = $2 WHERE subdomain = $1 AND assert_writable(id) RETURNING ${SUMMARY}`;
    const [changed] = await this.database.write<StoreSummary>(sql, [subdomain, status]);
    return changed ?? null;
  }

  private async findProfiles(ids: readonly string[]): Promise<Map<string, StoreProfile>> {
    const found = await Promise.all(ids.map((id) => this.database.queryPrepared<StoreProfile>(PROFILE, [id])));
    return new Map(found.flat().map((profile) => [String(profile.id), profile]));
  }
}
