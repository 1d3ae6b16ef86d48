import {
  KEY_LOOK_UP_MS,
  KEY_STATEMENT_MS,
  ApiKeyRepository,
  FRESH_SIGN_IN_MINUTES,
  type ApiKeyRecord,
  type ApiKeyReference,
  type ApiKeyStatus,
  type ApiKeySuccessor,
  type ApiKeyUsage,
  type AuditEvent,
  type ChangeOrigin,
  type KeyMaker,
  type NewApiKey,
  type Page,
  type PageOf,
  type RolledApiKey,
  type StoredApiKey,
  type StoreStatus,
} from '@app/application';
import { TooManyKeys, type ApiKeyMode, type ApiKeyScope, type Role } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { allNew, recordAudit } from '../audit/record-audit.js';
import { pageOf, offsetOf, type Counted } from '../lists/paging.js';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { Database } from '../postgres/database.js';
import { GroupedLookup } from '../postgres/grouped-lookup.js';
import { KeyUsage } from './key-usage.js';
import { MAKER, MAKER_STANDS, makerValues } from './maker.js';

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
  readonly store_status: StoreStatus;
  readonly person_id: string | null;
  readonly person_name: string;
  readonly email: string;
  readonly role: Role;
  readonly is_fresh: boolean;
}

const LOOK_UP = `/* keys.look_up */
  SELECT encode(key.key_hash, 'hex') AS hash, key.id, key.name, key.mode, key.scope, key.networks::text[], key.status, key.expires_at,
    coalesce(key.expires_at <= now(), false) AS expired,
    store.id AS store_id, store.currency, store.status AS store_status,
    key.person_id, person.name AS person_name, person.email, person.role,
    key.created_at > now() - interval '${FRESH_SIGN_IN_MINUTES} minutes' AS is_fresh
  FROM api_keys key JOIN stores store ON store.id = key.store_id
  LEFT JOIN people person ON person.store_id = key.store_id AND person.id = key.person_id
  WHERE key.key_hash = ANY($1)`;

// `$1` is the store.
const COLUMNS = `
  id, store_id AS "storeId", prefix, last_four AS "lastFour", mode, scope, networks::text[], trusted, name, status,
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_at AS "createdAt", successor_id AS "successorId",
  created_by AS "createdBy", changed_by AS "changedBy", changed_at AS "changedAt",
  (SELECT coalesce(sum(recent.requests), 0)::float8 FROM api_key_usage AS recent
    WHERE recent.store_id = $1 AND recent.key_id = api_keys.id
      AND recent.day > (now() AT TIME ZONE 'UTC')::date - 7) AS "recentRequests",
  (SELECT coalesce(sum(recent.requests), 0)::float8 FROM api_key_refusals AS recent
    WHERE recent.store_id = $1 AND recent.key_id = api_keys.id
      AND recent.day > (now() AT TIME ZONE 'UTC')::date - 7) AS "recentRefusals"`;

/** Returns the first parameters of the statements that make or change a key. */
const changeValues = (storeId: number, { key, actor }: KeyMaker): unknown[] => [...makerValues(storeId, key), actor];

const ALL: Page = { page: 1, limit: Number.MAX_SAFE_INTEGER };

/** The maximum number of keys of a store, including revoked ones, which are kept. Each page of the list counts them. */
const MAX_KEYS = 5_000;
const HAS_MANY = `/* keys.has_many */
  SELECT EXISTS (SELECT FROM api_keys WHERE store_id = $1 AND person_id IS NULL OFFSET ${MAX_KEYS - 1}) AS "hasMany"`;

const INSERT = `/* keys.insert */
  WITH ${MAKER}
  INSERT INTO api_keys (store_id, created_by, id, key_hash, prefix, last_four, mode, scope, name, expires_at, networks,
    trusted)
  SELECT $1, $4::jsonb, $5::uuid, $6::bytea, $7, $8, $9, $10, $11, $12::timestamptz, $13::cidr[], $14::boolean
  /* @protects maker-stands */
  WHERE ${MAKER_STANDS}
  RETURNING ${COLUMNS}`;

// The roll is one statement, so that no failure leaves the old key without a successor. least() ignores nulls. When two
// rolls run at the same time, the second one waits for the row, and does not see that the successor of the first is
// revoked: it is refused.
const ROLL = `/* keys.roll */
  WITH ${MAKER}, rolled AS (
    UPDATE api_keys AS old SET successor_id = $7, changed_by = $4, changed_at = now(),
      expires_at = least(expires_at, now() + $6 * interval '1 millisecond')
    WHERE store_id = $1 AND id = $5 AND person_id IS NULL AND status = 'ACTIVE'
      AND (expires_at IS NULL OR expires_at > now()) AND ${MAKER_STANDS}
      /* @protects one-successor */
      AND (successor_id IS NULL OR EXISTS (
        SELECT FROM api_keys AS successor
        WHERE successor.store_id = $1 AND successor.id = old.successor_id AND successor.status = 'REVOKED'))
    RETURNING *
  )
  INSERT INTO api_keys (store_id, created_by, id, key_hash, prefix, last_four, mode, scope, networks, trusted, name,
    expires_at)
  SELECT store_id, $4, $7, $8, prefix, $9, mode, scope, networks, trusted, name, $10 FROM rolled
  RETURNING ${COLUMNS}, (SELECT expires_at FROM rolled) AS "oldKeyExpiresAt"`;

const SET_STATUS = `/* keys.set_status */
  WITH ${MAKER}
  UPDATE api_keys SET status = $6, changed_by = $4, changed_at = now()
  FROM (SELECT status AS before FROM api_keys WHERE store_id = $1 AND id = $5 FOR NO KEY UPDATE) AS found
  WHERE store_id = $1 AND id = $5 AND person_id IS NULL AND (status <> 'REVOKED' OR $6 = 'REVOKED')
    /* @protects maker-of-change */
    AND ${MAKER_STANDS}
  RETURNING before, ${COLUMNS}`;

const LIST = `/* keys.list */
  SELECT total, ${COLUMNS} FROM (
    SELECT *, count(*) OVER () AS total FROM api_keys
    WHERE store_id = $1 AND person_id IS NULL AND ($2::text IS NULL OR mode = $2)
    ORDER BY created_at, id LIMIT $3 OFFSET $4
  ) AS api_keys
  ORDER BY created_at, id`;

const HASHES = `/* keys.hashes */
  SELECT id, encode(key_hash, 'hex') AS hash FROM api_keys WHERE store_id = $1 AND person_id IS NULL`;

// Each refusal has a row of use. Only the refusals of the page are read.
const USAGE = `/* keys.usage */
  SELECT total, key_id AS "keyId", name, to_char(day, 'YYYY-MM-DD') AS day, requests::float8 AS requests,
    throttled::float8 AS throttled,
    (SELECT coalesce(jsonb_object_agg(refused.code, refused.requests), '{}') FROM api_key_refusals AS refused
      WHERE refused.store_id = $1 AND refused.key_id = page.key_id AND refused.day = page.day) AS refused
  FROM (
    SELECT usage.*, key.name, count(*) OVER () AS total
    FROM api_key_usage AS usage JOIN api_keys AS key ON key.store_id = usage.store_id AND key.id = usage.key_id
    WHERE usage.store_id = $1 AND usage.day > (now() AT TIME ZONE 'UTC')::date - $2::int
      AND key.person_id IS NULL AND ($3::text IS NULL OR key.mode = $3)
    ORDER BY usage.day DESC, usage.requests DESC, usage.key_id LIMIT $4 OFFSET $5
  ) AS page
  ORDER BY page.day DESC, page.requests DESC, page.key_id`;

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

  override findByHash(hash: Buffer): Promise<StoredApiKey | null> {
    // @protects key-lookup
    return this.lookups.find(hash.toString('hex'));
  }

  override touch(key: StoredApiKey): void {
    this.usage.count(key);
  }

  override noteThrottled(key: StoredApiKey): void {
    this.usage.countThrottled(key);
  }

  override noteRefused(key: StoredApiKey, code: string): void {
    this.usage.countRefused(key, code);
  }

  override insert(storeId: number, key: NewApiKey, maker: KeyMaker): Promise<ApiKeyRecord | null> {
    const values = [
      ...changeValues(storeId, maker),
      ...[key.id, key.hash, key.prefix, key.lastFour, key.mode, key.scope, key.name, key.expiresAt],
      ...[key.networks, key.trusted],
    ];
    return this.add<ApiKeyRecord>(storeId, maker, INSERT, values, (record) => ({
      action: 'key.created',
      subject: subjectOf(record),
      changes: rightsOf(record),
    }));
  }

  override async find({ storeId, id }: ApiKeyReference): Promise<ApiKeyRecord | null> {
    const sql = `/* keys.find */ SELECT ${COLUMNS} FROM api_keys WHERE store_id = $1 AND id = $2 AND person_id IS NULL`;
    const [record] = await this.database.query<ApiKeyRecord>(sql, [storeId, id]);
    return record ?? null;
  }

  override async locate(id: string): Promise<ApiKeyReference | null> {
    const [key] = await this.database.query<ApiKeyReference>(
      '/* keys.locate */ SELECT store_id AS "storeId", id FROM api_keys WHERE id = $1 AND person_id IS NULL',
      [id],
    );
    return key ?? null;
  }

  override async roll(
    { storeId, id }: ApiKeyReference,
    { id: newId, hash, lastFour, expiresAt }: ApiKeySuccessor,
    overlapMs: number,
    maker: KeyMaker,
  ): Promise<RolledApiKey | null> {
    const values = [...changeValues(storeId, maker), id, overlapMs, newId, hash, lastFour, expiresAt];
    type Row = ApiKeyRecord & { readonly oldKeyExpiresAt: Date };
    const row = await this.add<Row>(storeId, maker, ROLL, values, ({ name }) => ({
      action: 'key.rolled',
      subject: subjectOf({ id, name }),
      changes: { successor_id: [null, newId] },
    }));
    if (!row) return null;
    const { oldKeyExpiresAt, ...successor } = row;
    return { successor, oldKeyExpiresAt };
  }

  override list(storeId: number, mode: ApiKeyMode | null, page = ALL): Promise<PageOf<ApiKeyRecord>> {
    return pageOf(page, (asked) =>
      this.database.query<ApiKeyRecord & Counted>(LIST, [storeId, mode, asked.limit, offsetOf(asked)]),
    );
  }

  override async listHashes(storeId: number): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.query<{ id: string; hash: string }>(HASHES, [storeId]);
    return new Map(rows.map(({ id, hash }) => [id, hash]));
  }

  override listUsage(storeId: number, days: number, mode: ApiKeyMode | null, page = ALL): Promise<PageOf<ApiKeyUsage>> {
    return pageOf(page, (asked) =>
      this.database.search<ApiKeyUsage & Counted>(USAGE, [storeId, days, mode, asked.limit, offsetOf(asked)]),
    );
  }

  override setStatus(
    { storeId, id }: ApiKeyReference,
    status: ApiKeyStatus,
    maker: KeyMaker,
  ): Promise<ApiKeyRecord | null> {
    const values = [...changeValues(storeId, maker), id, status];
    return this.database.transaction(storeId, async (sql) => {
      const [row] = await sql.query<ApiKeyRecord & { readonly before: ApiKeyStatus }>(SET_STATUS, values);
      if (!row) return null;
      const { before, ...record } = row;
      await recordAudit(sql, storeId, originOf(maker), {
        action: STATUS_ACTIONS[status],
        subject: subjectOf(record),
        changes: { status: [before, status] },
      });
      return record;
    });
  }

  /** @throws TooManyKeys for a request; the operator has no limit. */
  private add<Row>(
    storeId: number,
    maker: KeyMaker,
    text: string,
    values: readonly unknown[],
    eventOf: (row: Row) => AuditEvent,
  ): Promise<Row | null> {
    return this.database.transaction(storeId, async (sql) => {
      const [counted] = maker.key ? await sql.query<{ hasMany: boolean }>(HAS_MANY, [storeId]) : [];
      if (counted?.hasMany) throw new TooManyKeys(MAX_KEYS);
      const [row] = await sql.query<Row>(text, values);
      if (row) await recordAudit(sql, storeId, originOf(maker), eventOf(row));
      return row ?? null;
    });
  }

  private async lookUp(hashes: readonly string[]): Promise<Map<string, StoredApiKey>> {
    this.keysPerLookUp.observe(hashes.length);
    const values = [hashes.map((hash) => Buffer.from(hash, 'hex'))];
    const rows = await this.database.queryPrepared<LookupRow>(LOOK_UP, values, { timeoutMs: KEY_STATEMENT_MS });
    return new Map(rows.map((row) => [row.hash, toLookup(row)]));
  }
}

const STATUS_ACTIONS = {
  ACTIVE: 'key.activated',
  DEACTIVATED: 'key.deactivated',
  REVOKED: 'key.revoked',
} as const satisfies Record<ApiKeyStatus, AuditEvent['action']>;

const originOf = ({ actor, key }: KeyMaker): ChangeOrigin => ({ actor, address: key?.address ?? null });

const subjectOf = ({ id, name }: Pick<ApiKeyRecord, 'id' | 'name'>) => ({ kind: 'key', id, name }) as const;

function rightsOf({ mode, scope, networks, trusted, expiresAt }: ApiKeyRecord): AuditEvent['changes'] {
  return allNew({ mode, scope, networks, trusted, expires_at: expiresAt });
}

function toLookup(row: LookupRow): StoredApiKey {
  const { id, name, mode, scope, networks, status, expired } = row;
  const store = { id: row.store_id, currency: row.currency, status: row.store_status };
  const { person_id, person_name, email, role, is_fresh } = row;
  const person = person_id === null ? null : { id: person_id, name: person_name, email, role, isFresh: is_fresh };
  return { id, name, mode, scope, networks, status, expiresAt: row.expires_at, expired, store, person };
}
