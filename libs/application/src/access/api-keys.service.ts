import { randomInt } from 'node:crypto';
import { API_KEY_SECRET, composeApiKey, NotFound, type ApiKeyMode } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import {
  ApiKeyNotActive,
  ApiKeyRepository,
  type ApiKeyRecord,
  type ApiKeyStatus,
  type NewApiKey,
  type RolledApiKey,
} from '../ports/api-key.repository.js';
import { StoreRepository } from '../ports/store.repository.js';
import { hashApiKey } from './authenticate-api-key.js';

export interface CreateApiKeyCommand extends Omit<NewApiKey, 'id' | 'hash' | 'prefix' | 'lastFour'> {
  readonly store: string;
}

const REFUSAL: Readonly<Record<Exclude<ApiKeyStatus, 'ACTIVE'>, string>> = {
  DEACTIVATED: 'is deactivated: activate it first, or create a new key instead',
  REVOKED: 'is revoked: create a new key instead',
};

/** Only the results of `create` and `roll` contain the text of a key: the database stores its hash. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly stores: StoreRepository,
    private readonly apiKeys: ApiKeyRepository,
  ) {}

  /** @throws NotFound when there is no such store. */
  async create({ store, ...fields }: CreateApiKeyCommand): Promise<ApiKeyRecord & { key: string }> {
    const owner = await this.stores.require(store);
    const { text, ...drawn } = drawApiKey(fields.mode);
    const record = await this.apiKeys.insert(owner.id, { ...drawn, ...fields });
    return { ...record, key: text };
  }

  /**
   * Replaces a key. While the text of the successor is unknown because it was lost, it must be revoked before the old
   * key can be rolled again, so that no such key remains active.
   *
   * @throws NotFound when there is no such key.
   * @throws ApiKeyNotActive when the key is revoked, deactivated or expired, or has a successor that is not revoked.
   */
  async roll(id: string, overlapMs: number, expiresAt: Date | null): Promise<RolledApiKey & { key: string }> {
    const { storeId, mode } = await this.find(id);
    const { text, ...drawn } = drawApiKey(mode);
    const rolled = await this.apiKeys.roll(storeId, id, { ...drawn, expiresAt }, overlapMs);
    if (!rolled) throw new ApiKeyNotActive(`Key ${id} ${refusalOf(await this.find(id))}`);
    return { ...rolled, key: text };
  }

  /** @throws NotFound, ApiKeyNotActive */
  async setStatus(id: string, status: ApiKeyStatus): Promise<ApiKeyRecord> {
    const record = await this.apiKeys.setStatus(id, status);
    if (record) return record;
    await this.find(id, 'API key');
    throw new ApiKeyNotActive('The key is revoked, which is final');
  }

  private async find(id: string, what = 'Key'): Promise<ApiKeyRecord> {
    const key = await this.apiKeys.find(id);
    if (!key) throw new NotFound(`${what} ${id}`);
    return key;
  }
}

function drawApiKey(mode: ApiKeyMode) {
  const symbols = Array.from({ length: API_KEY_SECRET.length }, () => randomInt(API_KEY_SECRET.symbols));
  const key = composeApiKey(mode, symbols);
  return { ...key, id: uuidv7(), hash: hashApiKey(key.text) };
}

function refusalOf({ status, successorId }: ApiKeyRecord): string {
  if (status !== 'ACTIVE') return REFUSAL[status];
  if (successorId === null) return 'has expired: create a new key instead';
  return (
    `is already rolled, its successor is ${successorId}: use that one; ` +
    'if its text is lost, revoke it, and roll again or create a new key'
  );
}
