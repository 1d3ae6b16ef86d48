import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import {
  ApiKeyNotActive,
  ApiKeyRepository,
  type ApiKeyStatus,
  type RolledApiKey,
} from '../ports/api-key.repository.js';
import { drawApiKey } from './draw-api-key.js';

export interface RollApiKeyCommand {
  readonly id: string;
  /** How long the old key still works, in milliseconds. */
  readonly overlapMs: number;
  /** Of the new key. */
  readonly expiresAt: Date | null;
}

const REFUSAL: Readonly<Record<ApiKeyStatus, string>> = {
  // The database refuses an active key only when it has expired.
  ACTIVE: 'has expired: create a new key instead',
  DEACTIVATED: 'is deactivated: activate it first, or create a new key instead',
  REVOKED: 'is revoked: create a new key instead',
};

@Injectable()
export class RollApiKey {
  constructor(private readonly apiKeys: ApiKeyRepository) {}

  /**
   * Replaces a key by a new one with the same store, mode, scope and name. The old key works until the overlap has
   * passed. Only the result contains the text of the new key.
   *
   * @throws NotFound when there is no such key.
   * @throws ApiKeyNotActive when the key is revoked, deactivated or expired.
   */
  async execute({ id, overlapMs, expiresAt }: RollApiKeyCommand): Promise<RolledApiKey & { key: string }> {
    const { storeId, mode } = await this.find(id);
    const { text, ...drawn } = drawApiKey(mode);
    const rolled = await this.apiKeys.roll(storeId, id, { ...drawn, expiresAt }, overlapMs);
    // Read again: the status may have changed since.
    if (!rolled) throw new ApiKeyNotActive(`Key ${id} ${REFUSAL[(await this.find(id)).status]}`);
    return { ...rolled, key: text };
  }

  private async find(id: string) {
    const key = await this.apiKeys.find(id);
    if (!key) throw new NotFound(`Key ${id}`);
    return key;
  }
}
