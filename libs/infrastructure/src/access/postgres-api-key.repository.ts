import {
  KEY_LOOK_UP_MS,
  KEY_STATEMENT_MS,
  ApiKeyRepository,
  FRESH_SIGN_IN_MINUTES,
  type ApiKeyLookup,
  type ApiKeyRecord,
  type ApiKeyStatus,
  type ApiKeySuccessor,
  type ApiKeyUsage,
  type NewApiKey,
  type RolledApiKey,
} from '@app/application';
import type { ApiKeyMode, ApiKeyScope, Role } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { Database } from '../postgres/database.js';
import { GroupedLookup } from '../postgres/grouped-lookup.js';
import { KeyUsage } from './key-usage.js';

interface LookupRow {
  readonly hash: string;
  readonly id: string;
  readonly name: string;
  readonly mode: ApiKeyMode;
  readonly scope: ApiKeyScope;
  readonly networks: readonly string[];
  readonly status: ApiKeyStatus;
  readonly expires_at: Date | null;
  readonly expired: boolean;
  readonly store_id: number;
  readonly currency: string;
  readonly store_active: boolean;
  readonly person_id: string | null;
  readonly person_name: string;
  readonly email: string;
  readonly role: Role;
  readonly is_fresh: boolean;
}

const LOOK_UP = `/* keys.look_up */
  SELECT encode(key.key_hash, 'hex') AS hash, key.id, key.name, key.mode, key.scope, key.networks::text[], key.status, key.expires_at,
    coalesce(key.expires_at <= now(), false) AS expired,
    store.id AS store_id, store.currency, store.status = 'ACTIVE' AS store_active,
    key.person_id, person.name AS person_name, person.email, person.role,
    key.created_at > now() - interval '${FRESH_SIGN_IN_MINUTES} minutes' AS is_fresh
  FROM api_keys key JOIN stores store ON store.id = key.store_id
  LEFT JOIN people person ON person.store_id = key.store_id AND person.id = key.person_id
  WHERE key.key_hash = ANY($1)`;

const COLUMNS = `
  id, store_id AS "storeId", prefix, last_four AS "lastFour", mode, scope, networks::text[], trusted, name, status,
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_at AS "createdAt", successor_id AS "successorId"`;

// One statement, so that no failure leaves the old key without a successor. least() ignores nulls. Of two rolls at the same
// time, the second one waits for the row, and does not see that the successor of the first is revoked: it is refused.
const ROLL = `/* keys.roll */
  WITH rolled AS (
    UPDATE api_keys AS old SET successor_id = $4, expires_at = least(expires_at, now() + $3 * interval '1 millisecond')
    WHERE store_id = $1 AND id = $2 AND status = 'ACTIVE' AND (expires_at IS NULL OR expires_at > now())
      /* @protects one-successor */
      AND (successor_id IS NULL OR EXISTS (
        SELECT FROM api_keys AS successor
        WHERE successor.store_id = $1 AND successor.id = old.successor_id AND successor.status = 'REVOKED'))
    RETURNING *
  )
  INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, scope, networks, trusted, name, expires_at)
  SELECT store_id, $4, $5, prefix, $6, mode, scope, networks, trusted, name, $7 FROM rolled
  RETURNING ${COLUMNS}, (SELECT expires_at FROM rolled) AS "oldKeyExpiresAt"`;

const USAGE = `/* keys.usage */
  SELECT key_id AS "keyId", to_char(day, 'YYYY-MM-DD') AS day, requests::float8 AS requests,
    throttled::float8 AS throttled
  FROM api_key_usage
  WHERE store_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int
  ORDER BY day DESC, requests DESC, key_id`;

@Injectable()
export class PostgresApiKeyRepository extends ApiKeyRepository {
  private readonly lookups = new GroupedLookup((hashes) => this.lookUp(hashes), KEY_LOOK_UP_MS);
  private readonly keysPerLookUp: Histogram;

  constructor(
    private readonly database: Database,
    private readonly usage: KeyUsage,
    { registry }: ServiceMetrics,
  ) {
    super();
    this.keysPerLookUp = new Histogram({
      name: 'api_key_lookup_batch_size',
      help: 'API keys per look-up statement',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128],
      registers: [registry],
    });
  }

  override findByHash(hash: Buffer): Promise<ApiKeyLookup | null> {
    // @protects key-lookup
    return this.lookups.find(hash.toString('hex'));
  }

  override touch(key: ApiKeyLookup): void {
    this.usage.count(key);
  }

  override noteThrottled(key: ApiKeyLookup): void {
    this.usage.countThrottled(key);
  }

  override async insert(storeId: number, key: NewApiKey): Promise<ApiKeyRecord> {
    const rows = await this.database.write<ApiKeyRecord>(
      `/* keys.insert */ INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, scope, name, expires_at,
         networks, trusted)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::cidr[], $11)
       RETURNING ${COLUMNS}`,
      [
        ...[storeId, key.id, key.hash, key.prefix, key.lastFour, key.mode, key.scope, key.name, key.expiresAt],
        ...[key.networks, key.trusted],
      ],
    );
    return rows[0] as ApiKeyRecord;
  }

  override async find(id: string): Promise<ApiKeyRecord | null> {
    const sql = `/* keys.find */ SELECT ${COLUMNS} FROM api_keys WHERE id = $1`;
    const [record] = await this.database.query<ApiKeyRecord>(sql, [id]);
    return record ?? null;
  }

  override async roll(
    storeId: number,
    id: string,
    { id: newId, hash, lastFour, expiresAt }: ApiKeySuccessor,
    overlapMs: number,
  ): Promise<RolledApiKey | null> {
    const values = [storeId, id, overlapMs, newId, hash, lastFour, expiresAt];
    const [row] = await this.database.write<ApiKeyRecord & { oldKeyExpiresAt: Date }>(ROLL, values);
    if (!row) return null;
    const { oldKeyExpiresAt, ...successor } = row;
    return { successor, oldKeyExpiresAt };
  }

  override list(storeId: number): Promise<ApiKeyRecord[]> {
    return this.database.query(
      `/* keys.list */ SELECT ${COLUMNS} FROM api_keys WHERE store_id = $1 AND person_id IS NULL ORDER BY created_at, id`,
      [storeId],
    );
  }

  override listUsage(storeId: number, days: number): Promise<ApiKeyUsage[]> {
    return this.database.query(USAGE, [storeId, days]);
  }

  override async setStatus(id: string, status: ApiKeyStatus): Promise<ApiKeyRecord | null> {
    const rows = await this.database.write<ApiKeyRecord>(
      `/* keys.set_status */ UPDATE api_keys SET status = $2 WHERE id = $1 AND (status <> 'REVOKED' OR $2 = 'REVOKED') RETURNING ${COLUMNS}`,
      [id, status],
    );
    return rows[0] ?? null;
  }

  private async lookUp(hashes: readonly string[]): Promise<Map<string, ApiKeyLookup>> {
    this.keysPerLookUp.observe(hashes.length);
    const values = [hashes.map((hash) => Buffer.from(hash, 'hex'))];
    const rows = await this.database.queryPrepared<LookupRow>(LOOK_UP, values, { timeoutMs: KEY_STATEMENT_MS });
    return new Map(rows.map((row) => [row.hash, toLookup(row)]));
  }
}

function toLookup(row: LookupRow): ApiKeyLookup {
  const { id, name, mode, scope, networks, status, expired } = row;
  const store = { id: row.store_id, currency: row.currency, active: row.store_active };
  const { person_id, person_name, email, role, is_fresh } = row;
  const person = person_id === null ? null : { id: person_id, name: person_name, email, role, isFresh: is_fresh };
  return { id, name, mode, scope, networks, status, expiresAt: row.expires_at, expired, store, person };
}
