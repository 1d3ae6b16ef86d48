import { createHash } from 'node:crypto';
import { parseApiKey } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository, type ApiKeyLookup } from '../ports/api-key.repository.js';
import { Networks } from './networks.js';

export type AuthenticationFailure =
  | 'missing' // no key, or a text in another form
  | 'unknown' // well-formed, but there is no such key
  | 'inactive' // revoked, deactivated or expired
  | 'address_not_allowed' // limited to other networks
  | 'store_inactive';

export type Authentication =
  | { readonly key: ApiKeyLookup; readonly failure: null }
  | { readonly key: null; readonly failure: AuthenticationFailure; readonly refused: ApiKeyLookup | null };

@Injectable()
export class AuthenticateApiKey {
  constructor(private readonly apiKeys: ApiKeyRepository) {}

  /**
   * Resolves the store of a request. A refused request counts nothing, so a thief does not use up the limit of a key.
   * @param text the key; undefined when the request has none.
   * @param address of the client.
   */
  async execute(text: string | undefined, address: string): Promise<Authentication> {
    const found = await this.check(text, address);
    if (found.key) this.apiKeys.touch(found.key);
    return found;
  }

  /** As `execute`, for a request that is counted already and goes on: its key may have been revoked since. */
  async check(text: string | undefined, address: string): Promise<Authentication> {
    if (!text || !parseApiKey(text)) return { key: null, failure: 'missing', refused: null };

    const key = await this.apiKeys.findByHash(hashApiKey(text));
    if (!key) return { key: null, failure: 'unknown', refused: null };
    const failure = failureOf(key, address);
    return failure ? { key: null, failure, refused: key } : { key, failure: null };
  }
}

function failureOf(key: ApiKeyLookup, address: string): AuthenticationFailure | null {
  if (key.status !== 'ACTIVE' || key.expired) return 'inactive';
  if (key.networks.length > 0 && !new Networks(key.networks).has(address)) return 'address_not_allowed';
  return key.store.active ? null : 'store_inactive';
}

/** Keys have 190 random bits, so an unsalted hash cannot be searched. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
