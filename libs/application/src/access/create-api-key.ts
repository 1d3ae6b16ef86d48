import type { ApiKeyMode, ApiKeyScope } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository, type ApiKeyRecord } from '../ports/api-key.repository.js';
import { StoreRepository } from '../ports/store.repository.js';
import { drawApiKey } from './draw-api-key.js';

export interface CreateApiKeyCommand {
  readonly store: string;
  readonly mode: ApiKeyMode;
  readonly scope: ApiKeyScope;
  readonly networks: readonly string[];
  readonly trusted: boolean;
  readonly name: string;
  readonly expiresAt: Date | null;
}

@Injectable()
export class CreateApiKey {
  constructor(
    private readonly stores: StoreRepository,
    private readonly apiKeys: ApiKeyRepository,
  ) {}

  /**
   * Creates a key. Only the result contains its text: the database stores its hash.
   *
   * @throws NotFound when there is no such store.
   */
  async execute({ store, mode, ...fields }: CreateApiKeyCommand): Promise<ApiKeyRecord & { key: string }> {
    const owner = await this.stores.require(store);

    const { text, ...drawn } = drawApiKey(mode);
    const record = await this.apiKeys.insert(owner.id, { ...drawn, ...fields });
    return { ...record, key: text };
  }
}
