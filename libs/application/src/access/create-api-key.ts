import { randomInt } from 'node:crypto';
import { API_KEY_SECRET, composeApiKey, NotFound, type ApiKeyMode } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ApiKeyRepository, type ApiKeyRecord } from '../ports/api-key.repository.js';
import { StoreRepository } from '../ports/store.repository.js';
import { hashApiKey } from './authenticate-api-key.js';

export interface CreateApiKeyCommand {
  /** Subdomain of the store. */
  readonly store: string;
  readonly mode: ApiKeyMode;
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
  async execute({ store, mode, name, expiresAt }: CreateApiKeyCommand): Promise<ApiKeyRecord & { key: string }> {
    const owner = await this.stores.findBySubdomain(store);
    if (!owner) throw new NotFound(`Store ${store}`);

    const symbols = Array.from({ length: API_KEY_SECRET.length }, () => randomInt(API_KEY_SECRET.symbols));
    const { text, prefix, lastFour } = composeApiKey(mode, symbols);
    const record = await this.apiKeys.insert(owner.id, {
      id: uuidv7(),
      hash: hashApiKey(text),
      prefix,
      lastFour,
      mode,
      name,
      expiresAt,
    });
    return { ...record, key: text };
  }
}
