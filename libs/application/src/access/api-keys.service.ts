import { API_KEY_SECRET, composeApiKey, NotFound, type ApiKeyMode } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ApiKeyNotActive, ExceedsMaker } from './key-errors.js';
import {
  ApiKeyRepository,
  CHANGED_MAKER,
  type ApiKeyRecord,
  type ApiKeyReference,
  type ApiKeyStatus,
  type ApiKeyUsage,
  type KeyMaker,
  type RolledApiKey,
} from '../ports/api-key.repository.js';
import { Clock } from '../ports/clock.js';
import type { Page, PageOf } from '../ports/page.js';
import { hashApiKey } from './authenticate-api-key.js';
import { drawSymbols } from './draw-symbols.js';
import { excessOf, type KeyRights } from './key-bounds.js';

export interface ApiKeySpec extends Omit<KeyRights, 'networks'> {
  readonly name: string;
  /** Null takes the networks of the maker. For a person and the operator, that means any network. */
  readonly networks: readonly string[] | null;
  /** Null takes the expiry of the maker. For a person and the operator, that means no expiry. */
  readonly expiresAt: Date | null;
}

const REFUSAL: Readonly<Record<Exclude<ApiKeyStatus, 'ACTIVE'>, string>> = {
  DEACTIVATED: 'is deactivated: activate it first, or create a new key',
  REVOKED: 'is revoked: create a new key',
};

/**
 * Only the results of `create` and `roll` contain the text of a key: the database stores its hash. A machine's key
 * reaches only keys of its own mode, and no key grants more than it has.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly apiKeys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  list({ store, mode, person }: Requester, page: Page): Promise<PageOf<ApiKeyRecord>> {
    return this.apiKeys.list(store.id, person ? null : mode, page);
  }

  listUsage({ store, mode, person }: Requester, days: number, page: Page): Promise<PageOf<ApiKeyUsage>> {
    return this.apiKeys.listUsage(store.id, days, person ? null : mode, page);
  }

  /** @throws ExceedsMaker, TooManyKeys */
  async create(storeId: number, spec: ApiKeySpec, maker: KeyMaker): Promise<ApiKeyRecord & { key: string }> {
    const networks = spec.networks ?? maker.key?.networks ?? [];
    const rights = { ...spec, networks, expiresAt: spec.expiresAt ?? endOf(maker) };
    demandBounds(rights, maker);
    const { text, ...drawn } = drawApiKey(spec.mode);
    const record = await this.apiKeys.insert(storeId, { ...drawn, ...rights }, maker);
    if (!record) throw new ExceedsMaker(CHANGED_MAKER);
    return { ...record, key: text };
  }

  /**
   * Replaces a key. If the text of the successor is lost, the successor must be revoked before the old key can be
   * rolled again, so that no key with an unknown text remains active.
   * @param requestedExpiry null means no expiry. Undefined gives the successor the lifetime of the old key, within the
   * bounds of the maker.
   * @throws NotFound when there is no such key.
   * @throws ApiKeyNotActive when the key is revoked, deactivated or expired, or has a successor that is not revoked.
   * @throws ExceedsMaker, TooManyKeys
   */
  async roll(
    key: ApiKeyReference,
    overlapMs: number,
    requestedExpiry: Date | null | undefined,
    maker: KeyMaker,
  ): Promise<RolledApiKey & { key: string }> {
    const old = await this.find(key, maker);
    const expiresAt = requestedExpiry === undefined ? endAsOf(old, maker, await this.clock.now()) : requestedExpiry;
    demandBounds({ ...old, expiresAt }, maker, ' of the old key');
    const { text, ...drawn } = drawApiKey(old.mode);
    const rolled = await this.apiKeys.roll(key, { ...drawn, expiresAt }, overlapMs, maker);
    if (rolled) return { ...rolled, key: text };
    const refusal = refusalOf(await this.find(key, maker));
    throw refusal === null ? new ExceedsMaker(CHANGED_MAKER) : new ApiKeyNotActive(`Key ${key.id} ${refusal}`);
  }

  /** @throws NotFound, ApiKeyNotActive, ExceedsMaker */
  async setStatus(key: ApiKeyReference, status: ApiKeyStatus, maker: KeyMaker): Promise<ApiKeyRecord> {
    const found = await this.find(key, maker);
    if (status === 'ACTIVE') demandBounds(found, maker, ' of the key');
    if (found.status === status) return found;
    const record = await this.apiKeys.setStatus(key, status, maker);
    if (record) return record;
    const { status: present } = await this.find(key, maker);
    if (present !== 'REVOKED' || status === 'REVOKED') throw new ExceedsMaker(CHANGED_MAKER);
    throw new ApiKeyNotActive('The key is revoked, which is final: create a new key');
  }

  /** Finds a key for operators, who name it by its id only. @throws NotFound */
  async locate(id: string): Promise<ApiKeyReference> {
    const key = await this.apiKeys.locate(id);
    if (!key) throw new NotFound(`Key ${id}`);
    return key;
  }

  private async find(reference: ApiKeyReference, { key: maker }: KeyMaker): Promise<ApiKeyRecord> {
    const key = await this.apiKeys.find(reference);
    const isReached = !maker || maker.person || key?.mode === maker.mode;
    // @protects mode-of-key
    if (!key || !isReached) throw new NotFound('Key');
    return key;
  }
}

type Requester = NonNullable<KeyMaker['key']>;

/** @param whose names the existing key in the message; `''` for a new key. @throws ExceedsMaker */
function demandBounds(rights: KeyRights, { key }: KeyMaker, whose = ''): void {
  const excess = key && excessOf(rights, key, whose);
  if (excess !== null) throw new ExceedsMaker(excess);
}

/** Returns null for a session, because its end is that of a sign-in and does not bound keys. */
function endOf({ key }: KeyMaker): Date | null {
  return key?.person === null ? key.expiresAt : null;
}

/** Gives the new key the lifetime of the old one, starting now and within the bounds of the maker. */
function endAsOf({ createdAt, expiresAt }: ApiKeyRecord, maker: KeyMaker, now: Date): Date | null {
  const end = expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
  const last = endOf(maker);
  return end && last ? new Date(Math.min(end.getTime(), last.getTime())) : (end ?? last);
}

function drawApiKey(mode: ApiKeyMode) {
  const key = composeApiKey(mode, drawSymbols(API_KEY_SECRET));
  return { ...key, id: uuidv7(), hash: hashApiKey(key.text) };
}

/** Returns null for a key that can be rolled. */
function refusalOf({ status, successorId, expiresAt }: ApiKeyRecord): string | null {
  if (status !== 'ACTIVE') return REFUSAL[status];
  if (successorId !== null)
    return (
      `is already rolled: use its successor ${successorId}. ` +
      'If the secret of the successor is lost, revoke the successor and roll again, or create a new key'
    );
  return expiresAt && expiresAt <= new Date() ? 'has expired: create a new key' : null;
}
