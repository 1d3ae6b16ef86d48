import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import {
  ApiKeyNotActive,
  ApiKeyRepository,
  type ApiKeyRecord,
  type ApiKeyStatus,
  type RolledApiKey,
} from '../ports/api-key.repository.js';
import { drawApiKey } from './draw-api-key.js';

export interface RollApiKeyCommand {
  readonly id: string;
  readonly overlapMs: number;
  readonly expiresAt: Date | null;
}

const REFUSAL: Readonly<Record<Exclude<ApiKeyStatus, 'ACTIVE'>, string>> = {
  DEACTIVATED: 'is deactivated: activate it first, or create a new key instead',
  REVOKED: 'is revoked: create a new key instead',
};

@Injectable()
export class RollApiKey {
  constructor(private readonly apiKeys: ApiKeyRepository) {}

  /**
   * Replaces a key by a new one with the same store, mode, scope, networks, trust and name. The old key works until the overlap has
   * passed. Only the result contains the text of the new key: when it is lost, its key must be revoked before the old key
   * can be rolled again, so that no active key remains whose text is unknown.
   *
   * @throws NotFound when there is no such key.
   * @throws ApiKeyNotActive when the key is revoked, deactivated or expired, or has a successor that is not revoked.
   */
  async execute({ id, overlapMs, expiresAt }: RollApiKeyCommand): Promise<RolledApiKey & { key: string }> {
    const { storeId, mode } = await this.find(id);
    const { text, ...drawn } = drawApiKey(mode);
    const rolled = await this.apiKeys.roll(storeId, id, { ...drawn, expiresAt }, overlapMs);
    if (!rolled) throw new ApiKeyNotActive(`Key ${id} ${refusalOf(await this.find(id))}`);
    return { ...rolled, key: text };
  }

  private async find(id: string) {
    const key = await this.apiKeys.find(id);
    if (!key) throw new NotFound(`Key ${id}`);
    return key;
  }
}

function refusalOf({ status, successorId }: ApiKeyRecord): string {
  if (status !== 'ACTIVE') return REFUSAL[status];
  if (successorId === null) return 'has expired: create a new key instead';
  return (
    `is already rolled, its successor is ${successorId}: use that one; ` +
    'if its text is lost, revoke it, and roll again or create a new key'
  );
}
